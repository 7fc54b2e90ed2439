"""The probe against a running llama.cpp: it finds there what the recordings of llama.cpp show."""

from __future__ import annotations as _annotations

import httpx2

from pydantic_ai_compat.demo.server import LlamaCppServer
from pydantic_ai_compat.probing import PROBES, Limits, build_report, plan, run_probes


def test_the_probe_of_a_running_llama_cpp_finds_a_server_that_does_it_all(llama_server: LlamaCppServer) -> None:
    with httpx2.Client() as client:
        answers = run_probes(
            plan(list(PROBES)),
            base_url=llama_server.base_url,
            model=llama_server.model_name,
            limits=Limits(),
            client=client,
        )
        report = build_report(list(answers), llama_server.model_name)
    verdicts = {finding.name: finding.verdict for finding in report.findings}
    assert {name for name, verdict in verdicts.items() if verdict != 'works'} <= {'parallel calls'}
    # The count of tokens grows with a second result of one call, so that a list can be sent as messages.
    as_messages = {'openai_chat_tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'messages'}
    assert (report.server, report.options) == ('llama.cpp', as_messages)
