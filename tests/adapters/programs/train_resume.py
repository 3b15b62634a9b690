"""Trains undisturbed and killed on the way, and prints the curves: usage `train_resume.py URL TRAINING…`.

The trainings that reinforce begin with the one that clones an oracle.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ModuleNotFoundError:
    EventAccumulator = None

DEADLINE_S = 300
SFT = "demonstrations = 4\nheld_out = 2\nupdates = 6\nevaluate_every = 1\nplay_every = 6\nwidth = 16\n"
RL = 'start = "cloned"\nheld_out = 2\nupdates = 3\nevaluate_every = 1\ngroups = 1\ngroup = 4\nepochs = 2\n'
LABELS = RL + 'credit = "labels"\nrungs = [2, 9, 0]\n'
#: The method and the settings of each.
TRAININGS = {"cloned": ("sft", SFT), "reinforced": ("rl", RL), "labelled": ("rl", LABELS)}


def training(name: str, out: str) -> list[str]:
    """Write the configuration of a training and return the command that trains as it says."""
    method, settings = TRAININGS[name]
    file = Path(f"{out}.toml")
    file.write_text(f'out = "{out}"\n{settings}')
    return [sys.executable, "-m", "companyos", "train", method, "--config", str(file), "--url", sys.argv[1]]


def curve(name: str) -> str:
    """Return the curve of a run, empty before its first line."""
    file = Path(name) / "metrics.jsonl"
    return file.read_text() if file.exists() else ""


def curve_in_tensorboard(name: str) -> list[tuple[int, float]]:
    """Return what TensorBoard shows of a run, where it is installed: its shares of right calls by update."""
    if EventAccumulator is None:
        return []
    events = EventAccumulator(name).Reload()
    return [(event.step, event.value) for event in events.Scalars("right_call")]


def kill_after(lines: int, name: str) -> int:
    """Kill a training once its curve has so many lines, and return its exit code."""
    out = f"{name}_disturbed"
    running = subprocess.Popen(training(name, out))
    deadline = time.monotonic() + DEADLINE_S
    while curve(out).count("\n") < lines and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    return running.wait()


def endings(name: str) -> list[str]:
    """Return how two episodes ended that a trained policy played as any agent does."""
    tasks = ["vendor_onboarding", "--seeds", "2", "--chaos", "0", "--max-steps", "5", "--url", sys.argv[1]]
    agent = [
        "--agent",
        "python",
        "--target",
        "companyos.training.agent:TrainedPolicy",
        "--out",
        f"{name}_run",
    ]
    command = [sys.executable, "-m", "companyos", "run", *tasks, *agent]
    subprocess.run(command, check=True, stdout=sys.stderr, env={**os.environ, "COMPANYOS_POLICY": name})
    lines = Path(f"{name}_run", "episodes.jsonl").read_text().splitlines()
    return [json.loads(line)["ended"] for line in lines]


def main(*names: str) -> None:
    for name in names:
        subprocess.run(training(name, name), check=True)
    killed = []
    for name in names:
        killed.append(kill_after(2, name))
        subprocess.run(training(name, f"{name}_disturbed"), check=True)
    curves = {name: [curve(name), curve(f"{name}_disturbed")] for name in names}
    shown = {name: [curve_in_tensorboard(name), curve_in_tensorboard(f"{name}_disturbed")] for name in names}
    ends = {name: endings(name) for name in names}
    print(json.dumps({"curves": curves, "exit_codes": killed, "shown": shown, "endings": ends}))


if __name__ == "__main__":
    main(*sys.argv[2:])
