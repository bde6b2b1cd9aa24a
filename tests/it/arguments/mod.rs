//! Arguments as models send them, and what a model reads when they do not fit.

mod any_arguments;
mod model_inputs;
mod wording;
