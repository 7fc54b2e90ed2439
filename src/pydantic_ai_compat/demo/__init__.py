"""A real server with a scripted model, and the demonstration that runs on it; needs the extra `demo`."""
