"""Episodes as language models read them: a chat whose calls are JSON, as data sets of runs in JSON mode have it.

The system prompt shows the tools as signatures, the first message of the user is the task, and each later one is the
result of a call.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from companyos.evaluation.models.prompts import SYSTEM_PROMPT, function_tools, with_tools

from ..rollouts import UNUSED, Rollout

Message = dict[str, str]


def messages_before(
    episode: Rollout, number: int, *, exchanges: int, shows_tools: bool = True
) -> list[Message]:
    """Return the chat before a call of an episode.

    Args:
        episode: What was seen and done.
        number: The number of the call, from 0; those of a prefix do not count.
        exchanges: How many of the latest calls, each with its result, are in it.
        shows_tools: Whether the system prompt lists the tools.
    """
    start = episode.start
    played = [(each["action"], each["observation"]) for each in start.get("prefix", ())]
    played += [(turn.action, turn.observation) for turn in episode.turns[:number]]
    return [
        {"role": "system", "content": _system_prompt(start["tools"]) if shows_tools else SYSTEM_PROMPT},
        {"role": "user", "content": start.get("brief") or start["text"]},
        *(
            message
            for action, observation in played[-exchanges:]
            for message in (
                {"role": "assistant", "content": text_of(action)},
                {"role": "user", "content": observation["text"]},
            )
        ),
    ]


def text_of(action: Mapping[str, Any]) -> str:
    """Return the text that is a call, or what was said in its place."""
    if "tool_name" not in action:
        return str(action.get("raw", ""))
    arguments = {name: value for name, value in action["arguments"].items() if name not in UNUSED}
    return json.dumps({"tool_name": action["tool_name"], "arguments": arguments}, ensure_ascii=False)


def _system_prompt(tools: Sequence[Mapping[str, Any]]) -> str:
    return with_tools(SYSTEM_PROMPT, function_tools(tools), [tool["signature"] for tool in tools])
