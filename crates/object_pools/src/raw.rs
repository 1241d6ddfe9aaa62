//! All `unsafe` code of the crate. Each module has an interface that is safe to use, or says what its user must hold to.
#![allow(unsafe_code)]

pub(crate) mod count;
pub(crate) mod lease;
pub(crate) mod magazine;
pub(crate) mod stack;
pub(crate) mod threads;
