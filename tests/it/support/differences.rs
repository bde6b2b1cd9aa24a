//! What we do on purpose in another way than the reference: the one list.
//!
//! The README's "Differences from the reference" shows it word for word
//! (reference/server.rs checks that); differential.rs lets nothing else pass, and
//! reports what of it no call has shown.

/// One difference that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Difference {
    Written,
    FinalLineFeed,
    BytesKept,
    NothingChanged,
    Repeat,
    MoreMembers,
    SecondText,
    OptionalParameters,
    Coercion,
    LongQuery,
    ErrorTexts,
    UnknownTool,
    BadLine,
    DefaultPath,
    Modern,
    Prompts,
    BeforeInitialize,
    Batches,
    Schemas,
}

/// A difference as it is told to users.
pub struct Declared {
    pub difference: Difference,
    /// The README's line, the reason included.
    pub text: &'static str,
    /// Whether random calls can show it. What is about starting, framing or
    /// durability has tests of its own.
    pub shown_by_calls: bool,
}

/// All of them, in the README's order.
pub const DIFFERENCES: &[Declared] = &[
    Declared {
        difference: Difference::Written,
        text: "A write happens under a lock, in the order of the calls, and is on the disk before it is answered; permissions and symbolic links stay. The reference takes no lock and does not sync, so that of two writers, or of calls sent without waiting, one loses.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::FinalLineFeed,
        text: "The last line ends with a line feed, so that a script can append lines.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::BytesKept,
        text: "Lines that a call does not touch keep their bytes and their place, and so do fields and record types that we do not know; the reference writes all lines anew and drops what it does not know.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::NothingChanged,
        text: "A call that changes nothing writes nothing and notifies nobody.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::Repeat,
        text: "A repeat inside one call (an entity name, a relation) is stored once, because a name is a key.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::MoreMembers,
        text: "Results say what a call did not do (`skipped`, `missingEntities`, `notFound`) and how much it removed (`deleted`).",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::SecondText,
        text: "A second text item says the same in words, for clients that show a model the text only.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::OptionalParameters,
        text: "`read_graph`, `search_nodes` and `open_nodes` can be limited (`entityTypes`, `limit`, `observationLimit`), because a large memory does not fit into a conversation; the reference ignores these parameters.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::Coercion,
        text: "Arrays and objects that arrive as JSON strings are understood, a single string where a list of strings is wanted too, and `arguments: null` is none: models send that.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::LongQuery,
        text: "A query longer than 2048 UTF-16 code units is refused: it is a text that was pasted, and matches nothing.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::ErrorTexts,
        text: "Error texts are our own, worded so that a model can repair its call (`Entity with name X not found` is the same).",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::UnknownTool,
        text: "An unknown tool is a JSON-RPC error, as the specification says, and no tool result.",
        shown_by_calls: true,
    },
    Declared {
        difference: Difference::BadLine,
        text: "A bad line fails each call with file, line and column, where the reference names none, and takes some of them for records; the file is left as it is.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::DefaultPath,
        text: "A relative `MEMORY_FILE_PATH` starts at the working directory, and not at the directory of the program inside the package. Without a configured path the file is `memory.jsonl` in the working directory, and not inside the package, where an update deletes it.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::Modern,
        text: "Also speaks MCP 2026-07-28.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::Prompts,
        text: "Offers prompts (`recall`, `remember`, `tidy_up`), which many clients show as commands; the reference has none.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::BeforeInitialize,
        text: "Requests before `initialize` are refused, as the specification says.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::Batches,
        text: "A batch (an array of messages, which 2025-03-26 allows) is refused: with one error, or in a session of 2025-06-18 or earlier with one for each request in it. The official stdio clients send none.",
        shown_by_calls: false,
    },
    Declared {
        difference: Difference::Schemas,
        text: "Input schemas carry no `$schema`, which some model providers refuse, and tools no `execution`; descriptions are our own.",
        shown_by_calls: false,
    },
];
