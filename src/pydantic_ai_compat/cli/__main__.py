"""`python -m pydantic_ai_compat.cli`, the same as the command `pydantic-ai-compat`."""

from . import main

main()
