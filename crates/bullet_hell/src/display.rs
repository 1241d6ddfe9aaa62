//! Finds out whether a window can be opened and drawn to, before Bevy tries: it panics where one cannot.

use thiserror::Error;

/// What is missing for a window.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Missing {
    /// No display answers.
    #[error(
        "there is no display ({0}): start the demo in a desktop session, or install Xvfb (Debian: `apt-get install xvfb`) \
         and start it with `xvfb-run`; a Vulkan driver is needed too (Debian: `apt-get install libvulkan1 mesa-vulkan-drivers`)"
    )]
    Display(String),
    /// A library of the display's is missing.
    #[error(
        "the library {0} is missing: install the X11 client libraries (Debian: `apt-get install libx11-6 libx11-xcb1 \
         libxcursor1 libxi6 libxkbcommon-x11-0`)"
    )]
    Library(&'static str),
    /// No driver can draw.
    #[error(
        "there is no graphics driver: install a Vulkan driver (Debian: `apt-get install libvulkan1 mesa-vulkan-drivers`)"
    )]
    Driver,
}

/// Looks for what a window needs. Keep what it returns until the window is open: an X server may reset itself when the
/// last client leaves, and would not answer the next one meanwhile.
///
/// # Errors
/// If no display answers, or a library or a graphics driver is missing.
pub fn check_window() -> Result<Display, Missing> {
    let display = check_display()?;
    check_driver()?;
    Ok(display)
}

/// A display that answers.
#[cfg(all(unix, not(target_os = "macos")))]
pub type Display = x11rb::rust_connection::RustConnection;
/// A display that answers.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub type Display = ();

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
fn check_display() -> Result<Display, Missing> {
    let name = std::env::var("DISPLAY").unwrap_or_default();
    if name.is_empty() {
        return Err(Missing::Display("DISPLAY is not set".to_owned()));
    }
    let Ok((display, _)) = x11rb::connect(Some(&name)) else {
        return Err(Missing::Display(format!("nobody answers at DISPLAY {name:?}")));
    };
    check_libraries()?;
    Ok(display)
}

/// The libraries that winit opens when it makes a window; it panics where one of them is missing.
#[cfg(all(unix, not(target_os = "macos")))]
fn check_libraries() -> Result<(), Missing> {
    let libraries = [
        ("libX11", x11_dl::xlib::Xlib::open().is_ok()),
        ("libX11-xcb", x11_dl::xlib_xcb::Xlib_xcb::open().is_ok()),
        ("libXcursor", x11_dl::xcursor::Xcursor::open().is_ok()),
        ("libXi", x11_dl::xinput2::XInput2::open().is_ok()),
        ("libxkbcommon", xkbcommon_dl::xkbcommon_option().is_some()),
        ("libxkbcommon-x11", xkbcommon_dl::x11::xkbcommon_x11_option().is_some()),
    ];
    match libraries.into_iter().find(|(_, found)| !found) {
        Some((library, _)) => Err(Missing::Library(library)),
        None => Ok(()),
    }
}

/// Desktops of these systems always have a display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn check_display() -> Result<Display, Missing> {
    Ok(())
}
