"""Clones an oracle and reinforces the result, undisturbed and killed on the way; prints the curves."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

DEADLINE_S = 300
SFT = "demonstrations = 4\nheld_out = 2\nupdates = 6\nevaluate_every = 1\nplay_every = 6\nwidth = 16\n"
RL = 'start = "undisturbed"\nheld_out = 2\nupdates = 3\nevaluate_every = 1\ngroups = 1\ngroup = 4\nepochs = 2\n'
LABELS = RL + 'credit = "labels"\nrungs = [2, 9, 0]\n'


def training(method: str, name: str, settings: str) -> list[str]:
    """Write a configuration and return the command that trains as it says."""
    file = Path(f"{name}.toml")
    file.write_text(f'out = "{name}"\n{settings}')
    return [sys.executable, "-m", "companyos", "train", method, "--config", str(file), "--url", sys.argv[1]]


def curve(name: str) -> str:
    """Return the curve of a run, empty before its first line."""
    file = Path(name) / "metrics.jsonl"
    return file.read_text() if file.exists() else ""


def curve_in_tensorboard(name: str) -> list[tuple[int, float]]:
    """Return what TensorBoard shows of a run: its shares of right calls by update."""
    events = EventAccumulator(name).Reload()
    return [(event.step, event.value) for event in events.Scalars("right_call")]


def kill_after(lines: int, command: list[str], name: str) -> int:
    """Kill a training once its curve has so many lines, and return its exit code."""
    running = subprocess.Popen(command)
    deadline = time.monotonic() + DEADLINE_S
    while curve(name).count("\n") < lines and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    return running.wait()


subprocess.run(training("sft", "undisturbed", SFT), check=True)
subprocess.run(training("rl", "reinforced", RL), check=True)
subprocess.run(training("rl", "labelled", LABELS), check=True)
killed = []
for method, name, settings in (
    ("sft", "disturbed", SFT),
    ("rl", "reinforced_disturbed", RL),
    ("rl", "labelled_disturbed", LABELS),
):
    killed.append(kill_after(2, training(method, name, settings), name))
    subprocess.run(training(method, name, settings), check=True)
names = ("undisturbed", "reinforced", "labelled", "disturbed", "reinforced_disturbed", "labelled_disturbed")
curves = {name: curve(name) for name in names}
print(
    json.dumps(
        {
            "curves": curves,
            "exit_codes": killed,
            "shown": [curve_in_tensorboard(name) for name in ("undisturbed", "disturbed")],
        }
    )
)
