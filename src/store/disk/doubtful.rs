//! File systems on which an answered write can still be lost. There are few that
//! say what they are (docs/file-systems.md).

use std::path::Path;

use super::file_system::directory_of;

/// What is lost there, in words that follow a path and a colon. `None` where
/// nothing is known against the file system.
#[must_use]
pub fn doubt(file: &Path) -> Option<String> {
    let directory = directory_of(file).ancestors().find(|it| it.exists())?;
    let kind = kind_of(directory)?;
    (kind == "fuse.rclone").then(|| {
        format!(
            "{kind} uploads a file seconds after it was written, so that answered writes can be \
             lost, and other computers overwrite each other's\n\
             keep the memory file on a local disk"
        )
    })
}

/// The name of the file system that a directory is on.
#[cfg(target_os = "linux")]
fn kind_of(directory: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let device = std::fs::metadata(directory).ok()?.dev();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let device = (rustix::fs::major(device), rustix::fs::minor(device));
    kind_in(&mounts, device).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn kind_of(_directory: &Path) -> Option<String> {
    None
}

/// The name that proc(5) gives the file system on this device.
#[cfg(target_os = "linux")]
fn kind_in(mounts: &str, (major, minor): (u32, u32)) -> Option<&str> {
    let device = format!("{major}:{minor}");
    let mount = mounts
        .lines()
        .find(|line| line.split(' ').nth(2) == Some(&device))?;
    mount.split_once(" - ")?.1.split(' ').next()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_known_by_its_device() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                      31 22 0:44 / /home/me/cloud rw - fuse.rclone cloud: rw,user_id=0\n";
        assert_eq!(kind_in(mounts, (0, 44)), Some("fuse.rclone"));
        assert_eq!(kind_in(mounts, (8, 1)), Some("ext4"));
        assert_eq!(kind_in(mounts, (0, 4)), None);
    }

    #[test]
    fn a_local_disk_is_not_doubted() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(doubt(&directory.path().join("memory.jsonl")), None);
    }
}
