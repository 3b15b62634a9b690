"""Play a run twice, with workers of Ray and without, and compare the folders: usage `ray_run.py URL`."""

import json
import subprocess
import sys

from companyos.evaluation.runs import read_run

CHOSEN = ("--agent", "oracle", "vendor_onboarding", "--seeds", "4", "--chaos", "2")


def played(url, out, *options):
    """Play the run into a folder, and return its contents."""
    command = [sys.executable, "-m", "companyos", "run", *CHOSEN, "--url", url, "--out", out, *options]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return contents(out)


def contents(out):
    """Return what a folder holds of each episode, but for real time and the episode's id."""
    run = read_run(out)
    hashes = {record.key: [step["hash"] for step in run.trace(record.key)] for record in run.episodes}
    return {
        record.key: (record.decisive(), run.trajectory(record.key), hashes[record.key])
        for record in run.episodes
    }


def main(url):
    # Folders of one name: a trajectory tells that of its run.
    on_ray, here = played(url, "ray/run", "--ray"), played(url, "here/run")
    print(json.dumps({"episodes": len(on_ray), "equal": on_ray == here}))


if __name__ == "__main__":
    main(*sys.argv[1:])
