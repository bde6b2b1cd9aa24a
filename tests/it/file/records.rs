//! Three records of one memory, and bytes as text.

pub const ADA: &str =
    r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}"#;
pub const BO: &str =
    r#"{"type":"entity","name":"Bo","entityType":"person","observations":["plays go"]}"#;
pub const KNOWS: &str = r#"{"type":"relation","from":"Ada","to":"Bo","relationType":"knows"}"#;

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
