"""Show that a policy learns here: trains the small policy in several ways, and keeps curves, a picture and a table.

Run it with `make learn`. It starts a stack of its own, trains two policies at a time, and goes on where it was
interrupted: finished runs are kept. `--docs` also puts the results on the page that explains them.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home

FOLDER: Final = Path("runs/learn")
PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "learning.md"
BEGIN: Final = "<!-- results: written by `make learn` -->"
END: Final = "<!-- end of results -->"
AT_ONCE: Final = 2
SEEDS: Final = (0, 1, 2)
#: Every call can be composed in these (docs/how-to/train-a-small-policy.md).
FAMILIES: Final = ("vendor_onboarding", "bug_escalation", "handbook_update")
IMITATION: Final = {"demonstrations": 240, "updates": 1600, "evaluate_every": 400, "play_every": 1600}
#: A policy that solves few whole episodes, from which reinforcement is to go on.
BEGINNER: Final = {
    "scenarios": ("bug_escalation",),
    "demonstrations": 24,
    "updates": 400,
    "evaluate_every": 200,
    "play_every": 200,
}
REINFORCEMENT: Final = {
    "scenarios": ("bug_escalation",),
    "updates": 20,
    "evaluate_every": 5,
    "first_seed": 24,
}
#: Returns blame innocent calls too, which only many episodes and small steps average out.
COMPARED: Final = {"groups": 12, "group": 8, "batch": 4096, "epochs": 1, "learning_rate": 1e-4}
#: The oracle compares nothing, so every episode can be another seed; and a label can be gone through more often.
FORKED: Final = {"groups": 16, "group": 1, "epochs": 2, "learning_rate": 5e-4}
LABELLED: Final = {"groups": 16, "group": 1, "epochs": 8, "learning_rate": 1e-3}
CREDITS: Final[Mapping[str, Mapping[str, Any]]] = {
    "episode": {"credit": "episode", **COMPARED},
    "reward to go": {"credit": "reward_to_go", **COMPARED},
    "fork": {"credit": "fork", **FORKED},
    "labels": {"credit": "labels", **LABELLED},
}


@dataclass(frozen=True)
class Training:
    """A training to run.

    Attributes:
        title: What the picture calls it.
        method: `sft` or `rl`.
        seed: Of everything that is drawn.
        settings: Other settings of its configuration.
    """

    title: str
    method: str
    seed: int
    settings: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """Where its curve and its checkpoint are."""
        return FOLDER / f"{self.title.replace(' ', '-')}-{self.seed}"

    def curve(self) -> list[dict[str, Any]]:
        """Return the lines of its curve so far."""
        file = self.folder / "metrics.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def write_config(self) -> Path:
        """Write its configuration, and return the file."""
        settings = {"out": str(self.folder), "seed": self.seed, **self.settings}
        file = self.folder.with_suffix(".toml")
        # JSON of texts, numbers and lists is TOML.
        file.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()))
        return file

    def run(self, url: str) -> None:
        """Train, unless it has been done."""
        curve = self.curve()
        if curve and curve[-1]["update"] == self.settings["updates"]:
            return
        options = ["--config", str(self.write_config()), "--url", url]
        command = [sys.executable, "-m", "companyos", "train", self.method, *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as training:
            assert training.stderr is not None
            for line in training.stderr:
                print(f"{self.title}, seed {self.seed}: {line}", end="", flush=True)
        if training.returncode:
            raise SystemExit(f"{' '.join(command)} failed.")


def trainings() -> tuple[list[Training], list[Training]]:
    """Return the trainings from nothing, and those that go on from them, all of one seed before those of the next."""
    imitations = [
        Training(f"imitation of {family}", "sft", seed, {**IMITATION, "scenarios": (family,)})
        for seed in SEEDS
        for family in FAMILIES
    ]
    beginners = [Training("beginner", "sft", seed, BEGINNER) for seed in SEEDS]
    reinforcement = [
        Training(title, "rl", one.seed, {**REINFORCEMENT, **credit, "start": str(one.folder)})
        for one in beginners
        for title, credit in CREDITS.items()
    ]
    return [*imitations, *beginners], reinforcement


def measured(done: Sequence[Training]) -> Iterator[dict[str, Any]]:
    """Yield the measurements of held-out seeds: of which training, and after how many updates and calls."""
    names = ("update", "all_calls", "all_asked", "rung", "right_service", "right_call", "invalid_calls")
    more = ("success", "success_low", "success_high", "pairs_solved", "success_by_rung", "train_success")
    for one in done:
        for line in one.curve():
            found = {name: line[name] for name in (*names, *more) if name in line}
            yield {"training": one.title, "seed": one.seed, **found}


def picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the curves as an SVG document: imitation by updates, and reinforcement by calls."""
    import vl_convert

    measures = {"right_service": "right service", "right_call": "right call", "success": "episodes solved"}
    imitated = [
        {"x": row["update"], "share": row[name], "measure": text, "seed": row["seed"]}
        for row in rows
        for name, text in measures.items()
        if row["training"] == f"imitation of {FAMILIES[0]}" and name in row
    ]
    reinforced = [
        {
            "x": row.get("all_calls", 0),
            "share": row["success"],
            "measure": row["training"],
            "seed": row["seed"],
        }
        for row in rows
        if row["training"] in CREDITS and "success" in row
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "resolve": {"scale": {"color": "independent"}},
        "hconcat": [
            _panel(title, x, found)
            for title, x, found in (
                (f"Imitation of {FAMILIES[0]}", "updates", imitated),
                ("Reinforcement: held-out episodes solved", "calls of the policy", reinforced),
            )
            if found
        ],
    }
    return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))


def _panel(title: str, x: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    share = {"field": "share", "type": "quantitative", "title": None, "scale": {"domain": [0, 1]}}
    return {
        "title": title,
        "width": 380,
        "height": 220,
        "data": {"values": rows},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": x},
            "y": {**share, "axis": {"format": "%"}},
            "color": {"field": "measure", "type": "nominal", "title": None},
            "detail": {"field": "seed"},
        },
    }


def table(done: Sequence[Training]) -> str:
    """Return what each training reached, in Markdown."""
    lines = [
        "| training | seed | calls | oracle asked | right service | right call | invalid calls | success | best |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in done:
        curve = one.curve()
        played = [line for line in curve if "success" in line]
        if not played:
            continue
        last = played[-1]
        interval = f"{last['success']:.0%} ({last['success_low']:.0%}-{last['success_high']:.0%})"
        shares = [
            f"{last[name]:.1%}" if name in last else ""
            for name in ("right_service", "right_call", "invalid_calls")
        ]
        best = f"{max(line['success'] for line in played):.0%}"
        counts = [f"{last[name]:,}" if last.get(name) else "" for name in ("all_calls", "all_asked")]
        cells = [one.title, str(one.seed), *counts, *shares, interval, best]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Train everything, and show what came of it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    first, then = trainings()
    with running_stack(Home.at(FOLDER / "home")) as stack, ThreadPoolExecutor(AT_ONCE) as pool:
        for some in (first, then):
            list(pool.map(lambda one: one.run(stack.url), some))
    show([*first, *then])


def show(done: Sequence[Training]) -> None:
    """Print what was reached, draw the curves, and put both on the page if that is wanted."""
    rows = list(measured(done))
    drawn, shown = picture(rows), table(done)
    (FOLDER / "learning.svg").write_text(drawn, encoding="utf-8")
    print(f"{shown}\n\nThe curves: {FOLDER / 'learning.svg'}")
    if "--docs" in sys.argv:
        PAGE.with_suffix(".svg").write_text(drawn, encoding="utf-8")
        PAGE.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        files = "![Curves](learning.svg)\n\nThe data: [`learning.json`](learning.json)."
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        results = f"{BEGIN}\n{files}\n\n{shown}\n{END}{rest.partition(END)[2]}"
        PAGE.write_text(before + results, encoding="utf-8")


if __name__ == "__main__":
    main()
