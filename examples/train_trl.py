"""Train a language model with TRL's GRPO: on the last call of the oracle's solutions, then on ever longer ends of them.

    pip install 'openenv-companyos[trl]'
    python -m examples.train_trl Qwen/Qwen3-0.6B runs/grpo

Each stage goes on from the model of the one before.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from companyos.integrations.trl import CompanyosFactory

PROMPT: Final = [{"role": "user", "content": "Work on this task with the tools you have.\n\n"}]
#: How many calls are left at the start of a stage; None is all of them.
STAGES: Final = (1, 2, 4, 8, None)
SEEDS: Final = range(200)
SETTINGS: Final[dict[str, Any]] = {
    "max_steps": 200,
    "per_device_train_batch_size": 8,
    "gradient_accumulation_steps": 4,
    "num_generations": 8,
    "max_completion_length": 16_384,
    "learning_rate": 2e-6,
    # In groups without a success, division by the deviation would blow up the small costs of mistakes.
    "scale_rewards": "none",
    "report_to": [],
}


def tasks(calls_left: int | None, seeds: Iterable[int] = SEEDS) -> Dataset:
    """Return a row for each seed, whose episode starts so many calls before the end of the oracle's solution."""
    start = {} if calls_left is None else {"start": {"calls_left": calls_left}}
    return Dataset.from_list([{"prompt": PROMPT, "seed": seed, **start} for seed in seeds])


def train(model: Any, rows: Dataset, out: Path, processing_class: Any = None, **settings: Any) -> GRPOTrainer:
    """Train a model on some tasks, save it in a folder, and return the trainer.

    Args:
        model: Its name or folder, or the model itself.
        rows: The tasks.
        out: The folder.
        processing_class: The tokenizer of a model that is given itself.
        settings: What differs from `SETTINGS`.
    """
    trainer = GRPOTrainer(
        model=model,
        processing_class=processing_class,
        train_dataset=rows,
        environment_factory=CompanyosFactory(scenario="vendor_onboarding", chaos=1),
        args=GRPOConfig(output_dir=str(out), **{**SETTINGS, **settings}),
    )
    trainer.train()
    trainer.save_model()
    return trainer


def main(model: str, out: Path) -> None:
    """Train all stages."""
    for calls_left in STAGES:
        folder = out / f"calls-left-{calls_left or 'all'}"
        train(model, tasks(calls_left), folder)
        model = str(folder)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
