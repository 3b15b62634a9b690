"""Writes docs/reference from the code: tools, refusals, events, faults, settings and scenarios.

Run `python docs/generate.py` after changing any of them; a test compares what it would write with what is there.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from pydantic_settings import BaseSettings

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/generate.py; change the code, not this page. -->"


STACK = """## Stack

Read by `companyos up` and by `docker-compose.yml`, for the stack as a whole.

| variable | default | meaning |
|---|---|---|
| `COMPANYOS_HOME` | `~/.companyos` | Folder of the embedded stack: its data, logs and secrets. |
| `COMPANYOS_DURABILITY` | `fast` | `full` waits for the disk at each commit; `fast` may lose a crash's last instants. |
| `COMPANYOS_CALM_S` | `30` | `companyos up`: what ends again within so many seconds is restarted later each time. |
| `COMPANYOS_PG_BIN` | | Folder of `initdb` and `postgres`, where not those of the wheel. |
| `COMPANYOS_VALKEY_BIN` | | The Valkey or Redis server program, where not that of the wheel. |
| `COMPANYOS_BIND` | `127.0.0.1` | Compose: address at which the trainer door is published. |
| `COMPANYOS_PORT` | `8000` | Port of the trainer door. |
| `COMPANYOS_REPLICAS` | `1` | `companyos up`: processes of each service and of the orchestrator, up to 16. |"""


def pages() -> dict[str, str]:
    """Return the text of every reference page by file name."""
    manifests = [_manifest(name) for name in _service_names()]
    return {
        "tools.md": _tools(manifests),
        "refusals.md": _refusals(manifests),
        "events.md": _events(manifests),
        "faults.md": _faults(),
        "settings.md": _settings(),
        "scenarios.md": _scenarios(),
    }


def _service_names() -> list[str]:
    return sorted(module.name for module in iter_modules(import_module("services").__path__) if module.ispkg)


def _manifest(name: str) -> dict[str, Any]:
    settings = import_module("companyos.chassis").Settings(
        database_url="postgresql://", redis_url="redis://", context_key="-" * 16, admin_token="-" * 16
    )
    app = import_module(f"services.{name}.app").create_app(settings)
    found: dict[str, Any] = app.state.manifest()
    return found


def _page(title: str, text: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", NOTE, text, *parts]) + "\n"


def _tools(manifests: list[dict[str, Any]]) -> str:
    own = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters, "tick": tool.tick}
        for tool in import_module("orchestrator.tools").OWN_TOOLS
    ]
    sections = [_service_tools(manifest["title"], manifest["tools"]) for manifest in manifests]
    text = "What an agent can call. Every call is one step and costs the simulated seconds of its tick."
    return _page("Tools", text, *sections, _service_tools("Orchestrator", own))


def _service_tools(title: str, tools: list[dict[str, Any]]) -> str:
    return "\n\n".join([f"## {title}", *(_tool(tool) for tool in tools)])


def _tool(tool: dict[str, Any]) -> str:
    parameters = tool["parameters"]
    required = set(parameters.get("required", []))
    rows = [
        f"| `{name}` | {_type(schema)} | {'yes' if name in required else ''} | {_cell(schema.get('description', ''))} |"
        for name, schema in parameters.get("properties", {}).items()
    ]
    table = (
        ["| argument | type | required | meaning |", "|---|---|---|---|", *rows]
        if rows
        else ["No arguments."]
    )
    tick = f" *Tick: {tool['tick']} s.*"
    return "\n".join([f"### `{tool['name']}`", "", tool["description"] + tick, "", *table])


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return _cell(" or ".join(f"`{value}`" for value in schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _refusals(manifests: list[dict[str, Any]]) -> str:
    def module_errors(name: str) -> list[Any]:
        base = import_module("companyos.chassis.errors").ServiceError
        module = import_module(name)
        found = [
            value for value in vars(module).values() if isinstance(value, type) and issubclass(value, base)
        ]
        return sorted((e for e in found if e.__module__ == name and e is not base), key=lambda e: str(e.code))

    def section(title: str, name: str) -> str:
        rows = [
            f"| `{error.code}` | {error.status_code} | {'yes' if error.violation else ''} | {_first_line(error)} |"
            for error in module_errors(name)
        ]
        return "\n".join(
            [f"## {title}", "", "| code | status | violation | meaning |", "|---|---|---|---|", *rows]
        )

    text = (
        "Every expected no, as a problem document (RFC 9457): `type` is the code, `detail` says what would make it "
        "right. A *violation* breaks a policy, costs the episode its success and is counted."
    )
    services = [section(m["title"], f"services.{m['service']}.errors") for m in manifests]
    return _page(
        "Refusals", text, section("Every service", "companyos.chassis.errors"), *services, _archives()
    )


def _archives() -> str:
    module = import_module("orchestrator.archives.refusals")
    refusals = sorted(module.ArchiveRefused.__subclasses__(), key=lambda refusal: str(refusal.CODE))
    rows = [f"| `{refusal.CODE}` | {refusal.STATUS} | {_first_line(refusal)} |" for refusal in refusals]
    return "\n".join(["## Files of snapshots", "", "| code | status | meaning |", "|---|---|---|", *rows])


def _first_line(thing: Any) -> str:
    return _cell((thing.__doc__ or "").strip().split("\n")[0])


def _events(manifests: list[dict[str, Any]]) -> str:
    names = sorted(
        {name for manifest in manifests for name in [*manifest["publishes"], *manifest["consumes"]]}
    )

    def users(kind: str, name: str) -> str:
        return ", ".join(manifest["title"] for manifest in manifests if name in manifest[kind]) or "nobody"

    rows = [f"| `{name}` | {users('publishes', name)} | {users('consumes', name)} |" for name in names]
    table = "\n".join(["| event | published by | consumed by |", "|---|---|---|", *rows])
    return _page("Events", "Facts that services tell each other on Redis Streams, `events:<name>`.", table)


def _faults() -> str:
    chaos = import_module("companyos.chaos")
    text = (
        "What chaos may do to an episode, in the words of its catalogue. *B* is the longest burst, how many attempts "
        "in a row one incident may spoil; *F* the most incidents in an episode; the cost, the most steps that one "
        "incident of one attempt takes who copes. [Chaos](../explanation/chaos.md) tells the laws, "
        "and how to write a profile."
    )
    presets = [chaos.parse_chaos(name) for name in (*chaos.NAMES, *chaos.ALIASES)]
    rows = [f"| `{one.name}` | {one.level} | {len(one.settings)} | `{one.digest}` |" for one in presets]
    table = "\n".join(["| preset | level | faults | digest |", "|---|---|---|---|", *rows])
    layers = [
        "\n\n".join(
            [f"## {layer.title()} faults", *(_fault(s) for s in chaos.CATALOGUE.values() if s.layer is layer)]
        )
        for layer in chaos.Layer
    ]
    return _page("Faults", text, table, *layers)


def _fault(spec: Any) -> str:
    chaos, cli = import_module("companyos.chaos"), import_module("companyos.cli.chaos")
    levels = ", ".join(f"{level} `{chaos.NAMES[level]}`" for level in cli.levels_with(spec))
    rows = [
        f"| `{name}` | {_cell(cli.bounds(one))} | {_cell(json.dumps(one.default))} | {_cell(one.meaning)} |"
        for name, one in spec.parameters.items()
    ]
    table = ["", "| parameter | values | default | meaning |", "|---|---|---|---|", *rows] if rows else []
    reach = "" if spec.layer is not chaos.Layer.SERVICE else f" Calls: {spec.reach}."
    each = f" for each ten minutes of `{spec.lasts}`" if spec.lasts else ""
    bounds = f"B ≤ {spec.longest_burst}, F ≤ {spec.most_incidents}, cost {spec.cost}{each}."
    told = [
        f"- **Seen by:** {spec.detect}.",
        f"- **Overcome by:** {spec.repair}.",
        f"- **Bounds:** {bounds}{reach}",
    ]
    return "\n".join(
        [f"### `{spec.id.value}`", "", spec.does, "", *told, f"- **Levels:** {levels or 'none'}.", *table]
    )


def _settings() -> str:
    chassis = import_module("companyos.chassis.settings").Settings
    orchestrator = import_module("orchestrator.settings").Settings
    text = "Read from the environment; each secret may also come from a file named by the same variable and `_FILE`."
    return _page("Settings", text, STACK, _fields("Services", chassis), _fields("Orchestrator", orchestrator))


def _fields(title: str, settings: type[BaseSettings]) -> str:
    prefix = str(settings.model_config.get("env_prefix", "")).upper()
    rows = [
        f"| `{prefix}{name.upper()}` | {'required' if field.is_required() else f'`{field.default}`'} | "
        f"{_cell(field.description or '')} |"
        for name, field in settings.model_fields.items()
    ]
    return "\n".join([f"## {title}", "", "| variable | default | meaning |", "|---|---|---|", *rows])


def _scenarios() -> str:
    scenarios = import_module("companyos.scenario").load_scenarios()
    rows = [
        f"| [`{name}`](../../scenarios/{name}/README.md) | {scenario.version} | {_cell(scenario.summary)} |"
        for name, scenario in scenarios.items()
    ]
    table = "\n".join(["| scenario | version | what the agent is asked |", "|---|---|---|", *rows])
    return _page("Scenarios", "Each has an environment card beside its code.", table)


def main() -> None:
    """Write every page."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
