//! The graph's strings: one address space, two buffers.
//!
//! Most strings of a large graph stand in the memory file exactly as they are
//! (no escapes), so the graph points into the file's text instead of copying
//! it. What is not there (an escaped string, a new one) is appended to a second
//! buffer, whose addresses follow the first one's.

use std::sync::Arc;

/// Where a string of the graph is: eight bytes instead of a `String`'s 24 and
/// its allocation. Only the [`Texts`] that made it can read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    start: u32,
    len: u32,
}

impl Text {
    /// The string of `len` bytes at `start` in the base text.
    pub fn in_base(start: usize, len: usize) -> Text {
        Text {
            start: address(start),
            len: address(len),
        }
    }

    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it is the empty string.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The buffers behind [`Text`].
#[derive(Debug, Clone, Default)]
pub struct Texts {
    base: Arc<String>,
    appended_at: usize,
    appended: String,
}

impl Texts {
    /// Texts over `base`; appended ones get addresses from `appended_at` on,
    /// which is at least the base's length.
    pub fn new(base: Arc<String>, appended_at: usize) -> Texts {
        debug_assert!(appended_at >= base.len());
        Texts {
            base,
            appended_at,
            appended: String::new(),
        }
    }

    /// The string at `text`.
    pub fn get(&self, text: Text) -> &str {
        let (start, len) = (text.start as usize, text.len());
        if self.is_in_base(text) {
            &self.base[start..start + len]
        } else {
            let start = start - self.appended_at;
            &self.appended[start..start + len]
        }
    }

    /// Whether the string stands in the base text.
    pub fn is_in_base(&self, text: Text) -> bool {
        (text.start as usize) < self.appended_at
    }

    /// Stores a string.
    pub fn push(&mut self, text: &str) -> Text {
        let start = self.appended_at + self.appended.len();
        self.appended.push_str(text);
        Text {
            start: address(start),
            len: address(text.len()),
        }
    }

    /// How many bytes were appended so far, dead ones included.
    pub fn appended_len(&self) -> usize {
        self.appended.len()
    }
}

fn address(position: usize) -> u32 {
    u32::try_from(position).expect("the store keeps a graph's text under 4 GiB")
}
