"""Fine-tune with Unsloth as the example does, and print the losses: usage `unsloth_sft.py DEMONSTRATIONS`.

The model has random weights, and its tokens are lines, as in `trl_drill.py`.
"""

import json
import sys
from pathlib import Path

from examples import train_unsloth  # isort: skip - before TRL, which Unsloth patches
from tests.adapters.programs.trl_drill import random_model, tokenizer_of_lines

STEPS = 8


def main(demonstrations):
    words = tokenizer_of_lines()
    words.save_pretrained("model")
    random_model(len(words)).save_pretrained("model")
    trainer = train_unsloth.imitate(
        *train_unsloth.adapted("model"), Path(demonstrations), Path("sft"), max_steps=STEPS
    )
    print(
        json.dumps(
            {
                "losses": [float(step["loss"]) for step in trainer.state.log_history if "loss" in step],
                "saved": sorted(each.name for each in Path("sft").glob("adapter_*")),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
