"""The page of faults."""

import json

from companyos.cli.chaos import bounds, levels_with
from companyos.sdk import chaos
from companyos.sdk.scenario import load_scenarios

from .markdown import cell, document, table

TEXT = (
    "The catalog of faults that chaos can inject. *B* is the longest burst: how many attempts in a row "
    "one incident can affect. *F* is the maximum number of incidents in an episode. The cost is the most "
    "extra steps that an agent needs to recover from one incident that affects one attempt. "
    "[Chaos](../explanation/chaos.md) explains the laws and how to write a profile."
)
WHERE = (
    "An approval task offers the business faults that its packs support. Any other family offers those for which it "
    "declares targets: metrics, approvers, documents and texts. What a scenario does not offer is never injected; a "
    "trace lists it under `not_offered`, and so does `companyos chaos explain`."
)
SALT = "companyos-public"
#: Any pair but the first, which has the names and numbers of the original task.
SEED = 4


def page() -> str:
    """Return the page."""
    presets = [chaos.parse_chaos(name) for name in (*chaos.NAMES, *chaos.ALIASES)]
    rows = [f"| `{one.name}` | {one.level} | {len(one.settings)} | `{one.digest}` |" for one in presets]
    listed = table(["preset", "level", "faults", "digest"], rows)
    layers = [
        "\n\n".join(
            [f"## {layer.title()} faults", *(_fault(s) for s in chaos.CATALOG.values() if s.layer is layer)]
        )
        for layer in chaos.Layer
    ]
    return document("Faults", TEXT, listed, *layers, "## Where business faults apply", WHERE, _offers())


def _offers() -> str:
    """Return a table of the business faults that each scenario does not offer at the highest level."""
    storm = chaos.parse_chaos(len(chaos.NAMES) - 1)
    rows = []
    for name, scenario in load_scenarios().items():
        instance = scenario.generate(SEED, storm, SALT, "small")
        absent = ", ".join(f"`{fault}`" for fault in instance.not_offered)
        rows.append(f"| `{name}` | {absent or 'none'} |")
    return table(["scenario", "does not offer"], rows)


def _fault(spec: chaos.FaultSpec) -> str:
    levels = ", ".join(f"{level} `{chaos.NAMES[level]}`" for level in levels_with(spec))
    rows = [
        f"| `{name}` | {cell(bounds(one))} | {cell(json.dumps(one.default))} | {cell(one.meaning)} |"
        for name, one in spec.parameters.items()
    ]
    parameters = ["", table(["parameter", "values", "default", "meaning"], rows)] if rows else []
    reach = "" if spec.layer is not chaos.Layer.SERVICE else f" Calls: {spec.reach}."
    each = f" for each ten minutes of `{spec.lasts}`" if spec.lasts else ""
    limits = f"B ≤ {spec.longest_burst}, F ≤ {spec.most_incidents}, cost {spec.cost}{each}."
    told = [
        f"- **Seen by:** {spec.detect}.",
        f"- **Overcome by:** {spec.repair}.",
        f"- **Bounds:** {limits}{reach}",
    ]
    return "\n".join(
        [
            f"### `{spec.id.value}`",
            "",
            spec.does,
            "",
            *told,
            f"- **Levels:** {levels or 'none'}.",
            *parameters,
        ]
    )
