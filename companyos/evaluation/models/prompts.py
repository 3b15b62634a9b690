"""What a model is told besides the task: how to work in turns and, in text mode, the tools."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.client.formats.text_calls import EXAMPLE

#: One tool in OpenAI function format.
FunctionTool = Mapping[str, Any]

SYSTEM_PROMPT: Final = (
    "You are an employee who works through software tools. The first message is your task and the rules that apply. "
    "In every reply, call one tool; you then get its result. Nobody answers questions, and a reply without a call "
    "does nothing and counts as a mistake. Read what tools return before you act on it, and do not invent ids or "
    "values. If a call is refused, the result says why. Go on until the work is complete, then end it with a tool "
    "as the task says."
)

_JSON_CALLS: Final = f"""

To call a tool, reply with one JSON object that names the tool and gives its arguments, for example:
{json.dumps(EXAMPLE)}
You may reason before it; write nothing after it.

The tools"""


def function_tools(offered: Sequence[Mapping[str, Any]]) -> list[FunctionTool]:
    """Return an observation's tools in OpenAI function format."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["input_schema"],
            },
        }
        for tool in offered
    ]


def with_tools(system_prompt: str, tools: Sequence[FunctionTool], signatures: Sequence[str] = ()) -> str:
    """Return a system prompt extended by how to call tools in text and the tools: their signatures if there are any."""
    if signatures:
        return "\n".join([f"{system_prompt}{_JSON_CALLS}:", *signatures])
    schemas = "".join(map(_described, tools))
    return f"{system_prompt}{_JSON_CALLS}, each with the JSON Schema of its arguments:\n{schemas}"


def _described(tool: FunctionTool) -> str:
    function = tool["function"]
    schema = json.dumps(function["parameters"], ensure_ascii=False, separators=(",", ":"))
    return f"- {function['name']}: {function['description']}\n  {schema}\n"
