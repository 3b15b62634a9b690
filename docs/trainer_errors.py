"""The error codes that the trainer API can answer, read from the orchestrator's code, and what each means.

`found()` reads the codes and their statuses from the syntax of the code, so that a test can compare them with the
tables of this module: a code without an explanation, or an explanation without a code, fails it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1] / "orchestrator"
#: Modules whose refusals only agents get.
OF_AGENTS = ("http/agent_api/", "protocol/agent_tokens.py")
#: The functions and classes that take a status and a code.
REFUSING = ("Refusal", "problem", "problem_document")
#: The statuses of outages that may pass, and of those that stay.
RETRIED, FINAL = 503, 500

#: What each code means, and what to do about it.
ERRORS: dict[str, tuple[str, str]] = {
    "archive_base_differs": (
        "This stack generates another starting company: the scenario's version, or the salt, differs.",
        "Import on a stack with the same scenario version and `COMPANYOS_SALT`.",
    ),
    "archive_damaged": ("The file is truncated, altered, or not an archive.", "Export it again."),
    "archive_format_unknown": (
        "This release cannot read the format of the archive.",
        "Import it with the release that wrote it, or a newer one.",
    ),
    "archive_invalid": (
        "The archive is intact but contradicts itself.",
        "Import only files that a stack exported.",
    ),
    "archive_stack_differs": (
        "The services of this stack, their versions, or their tools differ.",
        "Import on a stack of the same release.",
    ),
    "archive_too_large": (
        "The archive is too large, packed or unpacked.",
        "Take a snapshot earlier in the episode, or of a smaller company.",
    ),
    "at_capacity": ("Too many sessions are open.", "Close one, or raise `COMPANYOS_MAX_SESSIONS`."),
    "body_encoded": (
        "The body is compressed, or in another coding.",
        "Send it as it is, without `Content-Encoding`; of transfer codings, only `chunked` is read.",
    ),
    "body_too_large": ("The body exceeds its limit.", "Send less; split a batch."),
    "body_unframed": ("A body over HTTP/1.0 comes in chunks.", "Send `Content-Length`, or HTTP/1.1."),
    "chaos_on_finished_episode": (
        "The episode is over, so chaos cannot change in it.",
        "Reset to start another.",
    ),
    "environment_unknown": ("The server has no such environment.", "Use the name `companyos`."),
    "episode_done": ("The episode is over.", "Reset to start another; its records can still be read."),
    "episode_exists": (
        "An open episode has this id.",
        "Choose another id, or send `replace` to end that episode.",
    ),
    "episode_expired": (
        "The episode was idle for too long and was ended.",
        "Reset, with `snapshot` to continue from one you kept.",
    ),
    "episode_replaced": (
        "A later reset took the id of the episode, or no episode had the `episode_uid`.",
        "Use the `episode_uid` from your reset; if its episode was replaced, reset.",
    ),
    "episode_unknown": (
        "There is no such episode: it was closed, or removed among the oldest finished ones.",
        "Use the `episode_id` from the response to a reset.",
    ),
    "grader_failed": (
        "A predicate of the scenario raised, so the episode cannot be graded.",
        "Correct the scenario. The episode is invalid and is not scored.",
    ),
    "header_repeated": (
        "`Host`, `Origin`, `Authorization` or `Idempotency-Key` was sent twice, so it is not clear which counts.",
        "Send each of them once.",
    ),
    "host_missing": ("A request over HTTP/1.1 has no header `Host`.", "Send it, or HTTP/1.0."),
    "internal_error": (
        "The orchestrator failed; the request is not at fault.",
        "See `companyos logs`, and report it.",
    ),
    "invalid_action": (
        "The action has none of the documented forms, so it is not a step.",
        "Send an action of `GET /schema`; report model output that is not a call as type `invalid`.",
    ),
    "invalid_chaos": ("There is no such chaos level, name or profile.", "See [Faults](faults.md)."),
    "invalid_cursor": ("The cursor is not from this list.", "Pass `next_cursor` of the previous page."),
    "invalid_request": (
        "A field is missing, unknown or has an invalid value.",
        "Correct the fields that `errors` names.",
    ),
    "invalid_task_index": ("The split has no task with this index.", "Stay within the bounds in `detail`."),
    "json_invalid": ("The body is not JSON in UTF-8.", "Send JSON without NaN or Infinity."),
    "method_not_allowed": ("The route does not take this method.", "Use a method of this page."),
    "no_episode": (
        "The step names no episode.",
        "Reset first, then send its `episode_id` with every step; a socket remembers it.",
    ),
    "not_found": ("There is no such route.", "Use a path of this page."),
    "nul_character": ("The URL or a text contains U+0000.", "Remove the character."),
    "parameter_repeated": ("The query has a parameter twice.", "Give each parameter once."),
    "orchestrator_error": (
        "The orchestrator itself failed in this step.",
        "See `companyos logs`, and report it. The episode is invalid.",
    ),
    "origin_refused": (
        "A web page of another machine called an API that has no token.",
        "Set `COMPANYOS_TRAINER_TOKEN`, or call from this machine.",
    ),
    "scenario_changed": (
        "The scenario's code changed since the episode or snapshot began.",
        "Restore that code, or begin another episode.",
    ),
    "scenario_failed": (
        "The scenario's code raised, or did not end in time; `detail` has the exception and its line.",
        "Correct the scenario. For a large company on a slow machine, raise `COMPANYOS_GENERATION_S`.",
    ),
    "scenario_unknown": (
        "The stack has no such scenario.",
        "Choose one that `detail` names; for your own, set `COMPANYOS_SCENARIOS` before the stack starts.",
    ),
    "service_error": (
        "A healthy service failed twice on the same due work or event, which is a defect.",
        "Report it with the line `service_defect` of the log. The episode is invalid.",
    ),
    "service_rejected_call": (
        "A service rejected a call of the orchestrator.",
        "Check that all processes have the same keys and release.",
    ),
    "service_unavailable": (
        "A service, the database or Redis does not answer.",
        "Send the same request again.",
    ),
    "server_stopping": (
        "The process stops, and could not finish the request before.",
        "Send the same request again in a moment; another process answers it.",
    ),
    "session_unknown": (
        "There is no session with this id, or another socket holds it.",
        "Create a session, or close the other socket.",
    ),
    "invalid_start": (
        "The oracle's solution has no such place, or the step limit leaves no step after it.",
        "Name a place that the message tells, or a limit such as `+10`.",
    ),
    "snapshot_decides": (
        "The option is part of the snapshot and cannot be chosen beside it.",
        "Leave out the field.",
    ),
    "snapshot_differs": (
        "The snapshot is of another company: of another scenario, seed, chaos or size.",
        "Reset with the option `snapshot`, which opens an episode of its own from it.",
    ),
    "snapshot_unknown": (
        "There is no such snapshot: it was deleted or unused for too long.",
        "Take another one; pin those to keep.",
    ),
    "step_conflict": (
        "The step was played already, with another action.",
        "Continue with the number after `step_count` of `GET /state`.",
    ),
    "step_in_progress": (
        "A step of the episode is being played.",
        "Wait for its response, or send the same step again.",
    ),
    "step_out_of_order": (
        "The number is not the one of the next step.",
        "Continue with the number after `step_count` of `GET /state`.",
    ),
    "step_unsettled": (
        "The events of the step, or the step itself, did not finish in time.",
        "Send the same step again: it is played only once.",
    ),
    "steps_lost": (
        "The database crashed and lost answered steps.",
        "Reset. With `COMPANYOS_DURABILITY=full` nothing is lost.",
    ),
    "too_busy": ("Too many requests are in progress.", "Send the same request again after `Retry-After`."),
    "too_many_episodes": (
        "The limit on open episodes is reached.",
        "Finish or close some, or raise `COMPANYOS_MAX_EPISODES`.",
    ),
    "tool_unknown": ("The option `tools` names a tool that does not exist.", "See [Tools](tools.md)."),
    "agent_token_refused": (
        "The request holds the token of an agent, which opens the agent API only.",
        "Send no token to an API that has none; agents use their `agent_urls`.",
    ),
    "trainer_token_required": (
        "The trainer token is missing or wrong, or an API without one was called from beyond this machine.",
        "Send `Authorization: Bearer <token>`; set `COMPANYOS_TRAINER_TOKEN` where there is none.",
    ),
    "websocket_required": (
        "The path is a WebSocket, and the request asks for none.",
        "Connect to `ws://` or `wss://`, and let a proxy pass on `Upgrade` and `Connection`.",
    ),
    "world_ahead": (
        "A service remembers another call of this step; the database lost the first one.",
        "Reset. The episode is invalid.",
    ),
    "url_not_utf8": ("The path or the query is not UTF-8.", "Percent-encode the bytes of UTF-8 text."),
    "validation_refused": (
        "A message opens or reads telemetry that is not enabled, or without its proof.",
        "Set `OPENENV_VALIDATION_TOKEN`, and open it on a new socket before the first reset.",
    ),
}
#: The `type` of an entry of `errors`, beside those of Pydantic.
FLAWS: dict[str, tuple[str, str]] = {
    "body_too_large": ("A WebSocket message exceeds the limit.", "Send less."),
    "dict_type": ("The value is not a JSON object.", "Send an object."),
    "episode_id_unusable": (
        "The id is `.`, `..` or has a control character.",
        "Choose an id that a URL can name.",
    ),
    "invalid_action": (
        "A call of an injected state is no action that is a step.",
        "Send it as a step takes it.",
    ),
    "json_invalid": ("The message is not JSON in UTF-8.", "Send JSON as text."),
    "key_repeated": (
        "An object has a key twice, so it is not clear which value counts.",
        "Send each key once.",
    ),
    "list_length": ("The list is empty or too long.", "Send as many resets as the limit allows."),
    "list_type": ("The batch is not a list, or is too long.", "Send a list within the limit."),
    "nul_character": ("A text contains U+0000.", "Remove the character."),
    "parameter_misplaced": (
        "The URL has a parameter that the route reads in its body.",
        "Send it in the body.",
    ),
    "snapshot_decides": ("The reset begins at a snapshot, so nothing can be prepared.", "Leave it out."),
    "task_conflict": ("`split` and `index` choose the scenario and the seed.", "Leave out the field."),
    "too_deep": ("The value is nested too deeply.", "Flatten it."),
    "unknown_field": ("The field misspells an existing one.", "Use the name in `msg`."),
    "unknown_type": ("The WebSocket message has another type, or none.", "Send one of the types above."),
}


def found() -> dict[str, set[int]]:
    """Return every code that the trainer API can answer, with its statuses."""
    codes: dict[str, set[int]] = {}
    for tree in _modules():
        for code, status in (*_refusals(tree), *_outages(tree), *_socket_errors(tree)):
            codes.setdefault(code, set()).add(status)
    return codes


def flaws() -> set[str]:
    """Return the types of the errors in a request that the orchestrator finds itself."""
    modules = [*_modules()]
    written = {literal.get("type") for tree in modules for literal in _literals(tree) if "msg" in literal}
    raised = {_value(call.args[0]) for tree in modules for call in _calls(tree, "PydanticCustomError")}
    return {name for name in written | raised if isinstance(name, str)}


def _modules() -> Iterator[ast.Module]:
    for path in sorted(ROOT.rglob("*.py")):
        if not path.relative_to(ROOT).as_posix().startswith(OF_AGENTS):
            yield ast.parse(path.read_text(encoding="utf-8"))


def _refusals(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for call in (call for name in REFUSING for call in _calls(tree, name) if len(call.args) > 1):
        status, code = map(_value, call.args[:2])
        if isinstance(status, int) and isinstance(code, str):
            yield code, status
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.Assign) and node.value and "HTTP_CODES" in _targets(node):
            yield from ((code, status) for status, code in ast.literal_eval(node.value).items())


def _outages(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the codes that classes of refusals and outages name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        values = {
            name: _value(part.value)
            for part in node.body
            if isinstance(part, ast.AnnAssign | ast.Assign)
            for name in _targets(part)
        }
        if isinstance(values.get("CODE"), str):
            yield values["CODE"], values.get("STATUS", 422)
        elif isinstance(values.get("code"), str):
            yield values["code"], values.get("status", FINAL) if values.get("hopeless") else RETRIED


def _socket_errors(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for call in _calls(tree, "_error"):
        facts = {part.arg: _value(part.value) for part in call.keywords}
        if isinstance(facts.get("type"), str):
            yield facts["type"], facts["status"]


def _literals(tree: ast.Module) -> Iterator[dict[str, Any]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield {
                str(_value(key)): _value(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if key
            }


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name
    ]


def _targets(node: ast.AnnAssign | ast.Assign) -> list[str]:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _value(node: ast.AST | None) -> Any:
    """Return the constant of a node, or None."""
    return node.value if isinstance(node, ast.Constant) else None
