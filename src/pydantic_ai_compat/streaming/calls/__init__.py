"""Which delta belongs to which tool call, and what of it goes on."""
