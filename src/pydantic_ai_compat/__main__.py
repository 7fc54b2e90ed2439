"""`python -m pydantic_ai_compat`, the same as the command `pydantic-ai-compat`."""

from __future__ import annotations as _annotations

from .cli import main

if __name__ == '__main__':
    main()
