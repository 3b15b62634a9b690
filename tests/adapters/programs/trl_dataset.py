"""Load data sets and train one step on each with TRL as the page does: usage `trl_dataset.py PAGE CALLS`.

The data set of the page is in the current folder, and CALLS is the folder of one with a row per call. The model has
random weights and a tokenizer of bytes, as in `trl_oracle.py`.
"""

import json
import sys
from pathlib import Path

import trl
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

from companyos.evaluation.runs.export.tokens import tokens_of_tokenizer
from tests.adapters.programs.page import blocks, run
from tests.adapters.programs.trl_oracle import LONGEST, smallest, tokenizer


def main(page, calls):
    words = tokenizer()
    words.backend_tokenizer.save("tokenizer.json")
    settings = {"use_cpu": True, "bf16": False, "save_strategy": "no", "logging_steps": 1}
    trl.SFTTrainer = lambda model, **options: SFTTrainer(
        model=smallest(len(words)), processing_class=words, **options
    )
    # A byte is a token here, so rows are longer than for the page's model.
    trl.SFTConfig = lambda **options: SFTConfig(**{**options, **settings, "max_length": LONGEST})
    names = run(blocks(Path(page)))
    rows, by_call = names["rows"], load_dataset(calls)
    trainer = trl.SFTTrainer(
        model="",
        train_dataset=by_call["train"],
        args=trl.SFTConfig(output_dir="calls", max_steps=1, per_device_train_batch_size=1, report_to=[]),
    )
    trainer.train()
    learned = [token for token in trainer.train_dataset[0]["labels"] if token >= 0]
    print(
        json.dumps(
            {
                "rows": {split: list(each) for split, each in rows.items()},
                "calls": {split: len(each) for split, each in by_call.items()},
                "features": [len({str(each.features) for each in one.values()}) for one in (rows, by_call)],
                "losses": [each.state.log_history[0]["loss"] for each in (names["trainer"], trainer)],
                "first": by_call["train"][0],
                "learned": words.decode(learned),
                "tokens": tokens_of_tokenizer("tokenizer.json").count({"text": "123"}),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
