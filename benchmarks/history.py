"""CPU time of checking and repairing tool-call histories, per 1,000 messages.

    python benchmarks/history.py

A good history has to cost less than 1 ms, and checking and repairing a broken one less than 5 ms. Times are the best
of many rounds, of this process's CPU alone. The exit status is 1 if a target is missed.
"""

from __future__ import annotations as _annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from pydantic_ai_compat.history import POLICIES, check_history, repair_history

ROUNDS = 60
GOOD_TARGET = 1.0
BROKEN_TARGET = 5.0


def history(turns: int, *, broken: bool) -> list[dict[str, Any]]:
    """An agent's conversation: a question, two calls at once, their results, an answer; five messages a turn."""
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        ids = [f'call_{turn}_{place}' for place in range(2)]
        arguments = json.dumps({'city': 'Paris', 'days': turn, 'units': ['celsius', 'mm']})
        messages.append({'role': 'user', 'content': f'What about day {turn}?'})
        messages.append(
            {
                'role': 'assistant',
                'content': None,
                'tool_calls': [
                    {'id': call_id, 'type': 'function', 'function': {'name': 'get_weather', 'arguments': arguments}}
                    for call_id in ids
                ],
            }
        )
        results = [{'role': 'tool', 'tool_call_id': call_id, 'content': 'sunny, 21 degrees'} for call_id in ids]
        if broken:
            # Each turn is broken in one way: a lost result, an interruption, a wrong order, a second result, an orphan.
            image = {'role': 'user', 'content': '<image>'}
            results = (
                results[:1],
                [results[0], image, results[1]],
                results[::-1],
                [*results, results[0]],
                [*results, {**results[0], 'tool_call_id': 'lost'}],
            )[turn % 5]
        messages += results
        messages.append({'role': 'assistant', 'content': 'It will be sunny.'})
    return messages


def best(function: Callable[[], object], count: int) -> float:
    """Milliseconds of CPU for 1,000 messages."""
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times) * 1000 * 1000 / count


def main() -> int:
    """Print the table and compare it with the targets."""
    good, broken = history(200, broken=False), history(200, broken=True)
    missed = False
    print(f'| policy | check, good ({len(good)} messages) | check and repair, broken ({len(broken)} messages) |')
    print('|---|---|---|')
    for policy in POLICIES.values():
        # Good by the policy's own rules: with its shape of ids, its system message and its keys.
        fine = repair_history(good, policy).messages
        checked = best(lambda policy=policy, fine=fine: check_history(fine, policy), len(fine))
        repaired = best(lambda policy=policy: repair_history(broken, policy), len(broken))
        print(f'| {policy.name} | {checked:.2f} ms | {repaired:.2f} ms |')
        if policy.name == 'standard':
            missed = checked >= GOOD_TARGET or repaired >= BROKEN_TARGET
    print(f'\nCPU time per 1,000 messages; targets under `standard`: {GOOD_TARGET} ms and {BROKEN_TARGET} ms')
    return int(missed)


if __name__ == '__main__':
    sys.exit(main())
