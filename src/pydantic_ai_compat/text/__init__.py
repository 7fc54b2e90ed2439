"""What stands in the text of an answer: thoughts, name-only events, and what is plain text."""
