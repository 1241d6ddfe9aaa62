//! Finds out whether a window can be opened and drawn to, before Bevy tries: it panics where one cannot.

use thiserror::Error;

/// What is missing for a window.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Missing {
    /// No display answers.
    #[error(
        "there is no display ({0}): start the demo in a desktop session, or install Xvfb (Debian: `apt-get install xvfb`) \
         and start it with `xvfb-run`"
    )]
    Display(String),
    /// No driver can draw.
    #[error(
        "there is no graphics driver: install a Vulkan driver (Debian: `apt-get install libvulkan1 mesa-vulkan-drivers`)"
    )]
    Driver,
}

/// What is missing for a window on this machine, or nothing.
///
/// # Errors
/// If no display answers or no graphics driver is found.
pub fn check_window() -> Result<(), Missing> {
    check_display()?;
    check_driver()
}

/// What is missing for drawing without a window, or nothing.
///
/// # Errors
/// If no graphics driver is found.
pub fn check_driver() -> Result<(), Missing> {
    let backends = backends();
    if backends.is_empty() {
        return Err(Missing::Driver);
    }
    let instance = wgpu::Instance::new(&wgpu::InstanceDescriptor { backends, ..Default::default() });
    let adapter = bevy::tasks::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    adapter.map(drop).ok_or(Missing::Driver)
}

/// The interfaces that Bevy may draw with: Vulkan, Metal or Direct3D 12, or those of them that `WGPU_BACKEND` names.
/// OpenGL is not among them: Bevy 0.16 cannot build its compute shaders with it.
#[must_use]
pub fn backends() -> wgpu::Backends {
    wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY) & wgpu::Backends::PRIMARY
}

/// A display that is named but that nobody serves counts as none.
#[cfg(all(unix, not(target_os = "macos")))]
fn check_display() -> Result<(), Missing> {
    let name = std::env::var("DISPLAY").unwrap_or_default();
    if name.is_empty() {
        return Err(Missing::Display("DISPLAY is not set".to_owned()));
    }
    match x11rb::connect(Some(&name)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Missing::Display(format!("nobody answers at DISPLAY {name:?}"))),
    }
}

/// Desktops of these systems always have a display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn check_display() -> Result<(), Missing> {
    Ok(())
}
