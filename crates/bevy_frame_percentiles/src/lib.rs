//! bevy_frame_percentiles
