//! The updates of one write, and what becomes of each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::job::Update;
use crate::store::error::StoreError;
use crate::store::format::document::Document;

/// The updates of one write.
#[derive(Default)]
pub struct Batch {
    waiting: Vec<Box<dyn Update>>,
    /// With each, whether it changed the graph.
    applied: Vec<(Box<dyn Update>, bool)>,
}

/// The document in memory is not to be written, and not to be gone on with.
#[derive(Debug, PartialEq, Eq)]
pub struct Spoilt;

impl Batch {
    /// Adds updates behind those that are there.
    pub fn extend(&mut self, updates: impl IntoIterator<Item = Box<dyn Update>>) {
        self.waiting.extend(updates);
    }

    /// Applies every update that waits or was applied to an older document.
    /// Whether the graph changed.
    ///
    /// # Errors
    /// [`Spoilt`], when one went wrong, by a bug or because the file would have
    /// more than `largest` bytes. It has its answer and is gone from the batch.
    /// The others are to be applied anew, to the document as the file has it.
    pub fn apply(&mut self, document: &mut Document, largest: usize) -> Result<bool, Spoilt> {
        let applied = std::mem::take(&mut self.applied);
        let mut updates: Vec<Box<dyn Update>> =
            applied.into_iter().map(|(update, _)| update).collect();
        updates.append(&mut self.waiting);
        let mut updates = updates.into_iter();
        while let Some(mut update) = updates.next() {
            if update.is_cancelled() {
                continue;
            }
            let run = AssertUnwindSafe(|| {
                update.apply(document.graph_mut());
                document.apply_changes()
            });
            // A bug in one update must not take the others along. Dropped
            // unfinished, it hears that its answer got lost.
            if let Ok(is_change) = catch_unwind(run) {
                let Some(size) = document.exceeds(largest).filter(|_| is_change) else {
                    self.applied.push((update, is_change));
                    continue;
                };
                update.finish(Err(Arc::new(too_large(size, largest))));
            }
            self.waiting = updates.collect();
            return Err(Spoilt);
        }
        Ok(self.applied.iter().any(|&(_, is_change)| is_change))
    }

    /// All that were applied are in the file. `ring` is called for each that
    /// changed the graph, before it is answered.
    pub fn succeed(self, ring: impl Fn()) {
        for (update, is_change) in self.applied {
            if is_change {
                ring();
            }
            update.finish(Ok(()));
        }
    }

    /// None of them is in the file.
    pub fn fail(self, error: StoreError) {
        let error = Arc::new(error);
        let applied = self.applied.into_iter().map(|(update, _)| update);
        for update in applied.chain(self.waiting) {
            update.finish(Err(Arc::clone(&error)));
        }
    }
}

fn too_large(size: usize, largest: usize) -> StoreError {
    StoreError::Refused(format!(
        "the memory file would have {size} bytes, more than the {largest} that can be read\n\
         nothing was written; delete what is no longer needed, or add less"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Instant;

    use tokio::sync::oneshot::{Receiver, channel};

    use super::*;
    use crate::ending::Patience;
    use crate::graph::Graph;
    use crate::store::memory::job::UpdateJob;

    const LARGEST: usize = 200;

    type Heard = Receiver<Result<bool, Arc<StoreError>>>;

    fn update(batch: &mut Batch, change: impl FnMut(&mut Graph) -> bool + Send + 'static) -> Heard {
        let (reply, heard) = channel();
        let (asked, patience) = (Instant::now(), Patience::default());
        let update: Box<dyn Update> = Box::new(UpdateJob {
            asked,
            patience,
            change,
            result: None,
            reply,
        });
        batch.extend([update]);
        heard
    }

    fn create(batch: &mut Batch, name: &str) -> Heard {
        let name = name.to_owned();
        update(batch, move |graph| graph.create_entity(&name, "", &[]))
    }

    /// Applies the batch, from an empty file as often as it takes, and gives
    /// the bytes to write.
    fn written(mut batch: Batch) -> usize {
        loop {
            let mut document = Document::default();
            if batch.apply(&mut document, LARGEST).is_ok() {
                batch.succeed(|| {});
                return document.to_bytes().len();
            }
        }
    }

    #[test]
    fn an_update_that_would_make_the_file_unreadable_is_refused_and_the_others_are_not() {
        let mut batch = Batch::default();
        let mut before = create(&mut batch, "before");
        let mut large = create(&mut batch, &"x".repeat(LARGEST));
        let mut after = create(&mut batch, "after");
        assert!(written(batch) <= LARGEST);
        assert!(before.try_recv().unwrap().unwrap());
        assert!(after.try_recv().unwrap().unwrap());
        let error = large.try_recv().unwrap().unwrap_err().to_string();
        assert!(
            error.contains("more than the 200 that can be read"),
            "{error}"
        );
        assert!(
            !error.contains('\0') && error.contains("nothing was written"),
            "{error}"
        );
    }

    #[test]
    fn a_file_may_become_as_large_as_can_be_read() {
        let empty = {
            let mut batch = Batch::default();
            let _heard = create(&mut batch, "");
            written(batch)
        };
        for (length, fits) in [(LARGEST - empty, true), (LARGEST - empty + 1, false)] {
            let mut batch = Batch::default();
            let mut heard = create(&mut batch, &"x".repeat(length));
            assert_eq!(written(batch) == LARGEST, fits);
            assert_eq!(heard.try_recv().unwrap().is_ok(), fits);
        }
    }

    #[test]
    fn an_update_that_panics_takes_no_other_along() {
        let mut batch = Batch::default();
        let mut bug = update(&mut batch, |_| panic!("a bug, as the test wants it"));
        let mut after = create(&mut batch, "after");
        written(batch);
        assert!(bug.try_recv().is_err(), "its sender is gone");
        assert!(after.try_recv().unwrap().unwrap());
    }
}
