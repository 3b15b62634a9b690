"""Run `tests/device/learn.sh` with a tiny model, killed once and then to its end; prints the updates of both curves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.unit.training.tiny_model import write_tiny_model

SCRIPT = Path(__file__).parents[2] / "device" / "learn.sh"
DEADLINE_S = 300
TOY = {
    "FAMILIES": '["vendor_onboarding"]',
    "DEMONSTRATIONS": "2",
    "HELD_OUT": "2",
    "CALL_TOKENS": "4",
    "SFT_UPDATES": "4",
    "RL_UPDATES": "1",
    "GROUPS_OF_ONE": "1",
    "EVERY": "1",
}


def updates(curve: Path) -> list[int]:
    """Return the updates of a curve, none before its first line."""
    return [json.loads(line)["update"] for line in curve.read_text().splitlines()] if curve.exists() else []


def main(url: str) -> None:
    home = Path.cwd()
    write_tiny_model(home / "model")
    settings = {**os.environ, **TOY, "PYTHON": sys.executable, "MODEL": str(home / "model"), "URL": url}
    command = [str(SCRIPT), str(home / "run")]
    curves = {name: home / "run" / name / "metrics.jsonl" for name in ("sft", "rl")}
    killed = subprocess.Popen(command, env=settings, stdout=sys.stderr, start_new_session=True)
    deadline = time.monotonic() + DEADLINE_S
    while not updates(curves["sft"]) and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)
    exit_code = killed.wait()
    subprocess.run(command, env=settings, stdout=sys.stderr, check=True)
    again = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout
    found = {name: updates(curve) for name, curve in curves.items()}
    print(json.dumps({"killed": exit_code, **found, "kept": again.count("done before")}))


if __name__ == "__main__":
    main(sys.argv[1])
