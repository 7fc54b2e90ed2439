"""What requests and streams cost the client: ours against stock pydantic-ai and against peers.

`python -m benchmarks` prints one table; see `docs/performance.md` for the method.
"""
