"""Load `train.jsonl` with `datasets`, plainly and by the code of a page: usage `training_data.py PAGE`."""

import json
import sys
from pathlib import Path

import datasets

from tests.adapters.programs.page import blocks, run


def main(page):
    found = {"rows": list(datasets.load_dataset("json", data_files="train.jsonl", split="train"))}
    if hasattr(datasets, "Json"):
        (source,) = (block for block in blocks(Path(page)) if "load_dataset" in block)
        found["parsed"] = list(run([source])["rows"])
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
