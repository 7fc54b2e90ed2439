"""What may be set: profile options, keywords, settings and the connection, from Python and from text."""
