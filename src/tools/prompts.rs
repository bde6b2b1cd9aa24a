//! What a person can start a conversation with: texts of the manifest, with what
//! the person filled in. How they travel is the wire's business.

use super::contract::Prompt;

impl Prompt {
    /// The text, with the value of each argument where its name stands in
    /// braces. Braces in a value mean nothing.
    pub fn filled(&self, value: impl Fn(&str) -> String) -> String {
        let mut pieces = self.text.split('{');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (name, rest) = piece
                .split_once('}')
                .expect("the build refuses a brace that stands alone");
            text.push_str(&value(name));
            text.push_str(rest);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_wherever_its_name_does_and_is_taken_as_it_is() {
        let prompt = Prompt {
            name: "look",
            title: "Look",
            description: "Looks.",
            arguments: &[],
            text: "{what}: look for {what} in {place}",
            tools: &[],
        };
        let text = prompt.filled(|name| match name {
            "what" => "{place} \\{".to_owned(),
            _ => String::new(),
        });
        assert_eq!(text, "{place} \\{: look for {place} \\{ in ");
    }
}
