"""A `docker` for `openenv validate` on a machine without buildx, or without a registry to pull its helper image from.

Compose brings a builder of its own, and any Python can run the validator's helper; the rest goes to Docker as it is.

Usage: docker_front.py DOCKER ARGUMENT...
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PINNED = re.compile(r"python:3\.\d+-slim@sha256:[0-9a-f]{64}")
#: What our own image is built from, so it is here.
STAND_IN = "python:3.13-slim"
PROJECT = "one-validated"


def main(docker: str, *arguments: str) -> int:
    """Run the command as Docker would, and return its exit code."""
    if arguments[:1] == ("build",) and not succeeds(docker, "buildx", "version"):
        return build(docker, arguments)
    return os.execv(docker, [docker, *(present(docker, argument) for argument in arguments)])


def present(docker: str, argument: str) -> str:
    """Return the stand-in for a pinned image that is not on this machine."""
    missing = PINNED.fullmatch(argument) and not succeeds(docker, "image", "inspect", argument)
    return STAND_IN if missing else argument


def build(docker: str, arguments: tuple[str, ...]) -> int:
    """Build with Compose what `docker build --iidfile ID --file DOCKERFILE CONTEXT` asks for."""
    options = dict(zip(arguments[1:-1:2], arguments[2:-1:2], strict=True))
    service = {"image": PROJECT, "build": {"context": arguments[-1], "dockerfile": options["--file"]}}
    built = subprocess.run(
        [docker, "compose", "-f", "-", "-p", PROJECT, "build"],
        input=json.dumps({"services": {"subject": service}}),
        text=True,
    )
    if built.returncode == 0:
        found = subprocess.check_output([docker, "image", "inspect", "-f", "{{.Id}}", PROJECT], text=True)
        Path(options["--iidfile"]).write_text(found.strip())
    return built.returncode


def succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True).returncode == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
