"""Regular expressions: their syntax, and what they find."""
