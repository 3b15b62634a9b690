"""Play a run on cells of a cluster of three nodes, of which one is lost in the middle: usage `ray_cells.py URL`.

The URL is that of a stack on which the same run is played undisturbed.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from companyos.cells.names import cell_of
from companyos.evaluation.runs import read_run
from companyos.integrations.ray.cells import Cells, CellsNotStarted
from tests.adapters.programs.ray_run import contents

SEEDS = 12
CHOSEN = ("--agent", "oracle", "vendor_onboarding", "--seeds", str(SEEDS), "--chaos", "2")
NAMES = ("cell-0", "cell-1", "cell-2")


@ray.remote
def near(cells):
    """Return whether a task plays on the cell of its own node."""
    node = ray.get_runtime_context().get_node_id()
    return [place.node for place in cells.places if place.url in cells.here()] == [node]


def begun(out, *options):
    """Begin the run."""
    command = [sys.executable, "-m", "companyos", "run", *CHOSEN, "--out", out, *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def ended(run):
    """Wait for the end of a run, and return what it said."""
    _, said = run.communicate(timeout=400)
    assert run.returncode == 0, said
    return said


def lines(out):
    """Return how many episodes of a run are recorded."""
    file = Path(out, "episodes.jsonl")
    return file.read_bytes().count(b"\n") if file.exists() else 0


def disturbed(cluster, node):
    """Play the run on cells, and lose a node when a quarter is played; return what the run said."""
    os.environ["RAY_ADDRESS"] = cluster.address
    run = begun("cells/run", "--ray", "--cells", "auto")
    while lines("cells/run") < SEEDS // 4:
        assert run.poll() is None, run.communicate()[1]
        time.sleep(0.05)
    cluster.remove_node(node, allow_graceful=False)
    return ended(run)


def refused(count):
    """Return why so many cells cannot be had."""
    try:
        with Cells.start(count):
            return ""
    except CellsNotStarted as reason:
        return str(reason)


def main(url):
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    nodes = [cluster.add_node(num_cpus=2) for _ in NAMES[1:]]
    ray.init(address=cluster.address, log_to_driver=False)
    with Cells.start() as cells:
        local = ray.get([near.remote(cells) for _ in range(4)])
    too_many = refused(60)
    ray.shutdown()
    said = disturbed(cluster, nodes[0])
    ended(begun("plain/run", "--url", url))
    records = read_run("cells/run").episodes
    found = {
        "equal": contents("cells/run") == contents("plain/run"),
        "episodes": len(records),
        "cells": sorted({cell_of(record.episode_id, NAMES) for record in records}),
        "again": said.count("is played again"),
        "local": local,
        "too_many": too_many,
    }
    cluster.shutdown()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
