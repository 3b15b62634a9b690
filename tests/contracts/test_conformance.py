"""The table of OpenEnv's checks names each check of the released policy."""

from __future__ import annotations

import json
from pathlib import Path

from .conformance import PROGRAMS

POLICY = "lib/python*/site-packages/openenv/validation/policies/severity-v2.json"


def test_the_table_names_each_local_check_of_the_policy_once(openenv_python: Path) -> None:
    [policy] = openenv_python.parents[1].glob(POLICY)
    entries = json.loads(policy.read_text(encoding="utf-8"))["entries"]
    local = [entry["check_id"] for entry in entries if entry["lane"] == "local"]

    assert list(PROGRAMS) == local
    assert len(local) == len(set(local)) == 34
