from __future__ import annotations as _annotations

import json

from typer.testing import CliRunner

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.config.schema import model_variants_schema


def test_the_schema_is_printed_as_one_json_document():
    result = CliRunner().invoke(app, ['schema'], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, '')
    assert json.loads(result.stdout) == json.loads(json.dumps(model_variants_schema()))
