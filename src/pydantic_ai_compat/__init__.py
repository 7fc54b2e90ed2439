"""Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""
