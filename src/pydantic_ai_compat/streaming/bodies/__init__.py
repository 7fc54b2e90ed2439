"""Bodies of answers as JSON objects: server-sent events, JSON, lines of JSON, and pages that are no answer.

The room knows nothing of a network or of the SDK: bytes or lines go in, and events, answers and errors come out.
"""
