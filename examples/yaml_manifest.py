"""Models in a YAML file: texts become what each option's type says, and variables are expanded."""

import os
from pathlib import Path

from pydantic_ai import Agent

from pydantic_ai_compat import load_model_variants
from pydantic_ai_compat.demo.server import LlamaCppServer

MANIFEST = Path(__file__).with_name('models.yaml')

with LlamaCppServer() as server:
    os.environ['MY_SERVER'] = server.base_url
    model = load_model_variants(MANIFEST)['local'].get_model()
    print(model.profile.get('openai_chat_tool_return_list_format'))
    print(Agent(model).run_sync('Hello. #plain').output)

# Output:
# messages
# Hello, this is a plain answer without tools.
