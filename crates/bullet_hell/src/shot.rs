//! Takes a picture of what is drawn and saves it, once what was last simulated has been drawn.

use std::path::{Path, PathBuf};

use bevy::{
    prelude::*,
    render::{
        camera::RenderTarget,
        view::screenshot::{Screenshot, ScreenshotCaptured},
    },
};

/// The outcome of the picture asked for: `None` until it has come.
#[derive(Resource, Debug, Default)]
pub struct Shot(Option<Result<(), String>>);

impl Shot {
    /// Takes the outcome: saved, or why not.
    pub fn take(&mut self) -> Option<Result<(), String>> {
        self.0.take()
    }
}

/// Asks for a picture of `target`, to be saved at `path` in the format of its ending. The outcome comes to [`Shot`],
/// some frames later.
pub fn request(world: &mut World, target: RenderTarget, path: &Path) {
    world.init_resource::<Shot>();
    let path = path.to_owned();
    world.spawn(Screenshot(target)).observe(move |picture: Trigger<ScreenshotCaptured>, mut shot: ResMut<Shot>| {
        shot.0 = Some(save(&picture, &path));
    });
}

fn save(picture: &Image, path: &PathBuf) -> Result<(), String> {
    let picture = picture.clone().try_into_dynamic().map_err(|error| error.to_string())?;
    // Without the alpha channel: a window's is not meant to be seen through.
    picture.to_rgb8().save(path).map_err(|error| format!("{}: {error}", path.display()))
}
