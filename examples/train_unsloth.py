"""Fine-tune a language model with Unsloth on the oracles' calls, then train it with GRPO on drills.

    pip install 'openenv-companyos[unsloth]'
    companyos dataset vendor_onboarding --start calls_left=1 --rows calls --out demonstrations
    python -m examples.train_unsloth unsloth/Qwen3-0.6B demonstrations runs/unsloth

Without a GPU, Unsloth supports the first stage only.
"""

import sys
from pathlib import Path
from typing import Any, Final

# Before TRL, which it patches.
from unsloth import FastLanguageModel  # isort: skip
import torch
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

from .train_trl import tasks, train

LONGEST: Final = 16_384


def adapted(name: str) -> tuple[Any, Any]:
    """Return a model with new adapters, and its tokenizer."""
    model, tokenizer = FastLanguageModel.from_pretrained(name, max_seq_length=LONGEST, load_in_4bit=False)
    return FastLanguageModel.get_peft_model(model, r=16, lora_alpha=16), tokenizer


def imitate(model: Any, tokenizer: Any, demonstrations: Path, out: Path, max_steps: int = 200) -> SFTTrainer:
    """Train a model on rows of `companyos dataset --rows calls`, save it, and return the trainer."""
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=load_dataset(str(demonstrations), split="train"),
        args=SFTConfig(
            output_dir=str(out),
            max_length=LONGEST,
            max_steps=max_steps,
            per_device_train_batch_size=1,
            gradient_accumulation_steps=8,
            learning_rate=2e-4,
            logging_steps=1,
            report_to=[],
        ),
    )
    trainer.train()
    trainer.save_model()
    return trainer


def main(name: str, demonstrations: Path, out: Path) -> None:
    """Train both stages."""
    model, tokenizer = adapted(name)
    imitate(model, tokenizer, demonstrations, out / "sft")
    if not torch.cuda.is_available():
        raise SystemExit("The second stage needs a GPU.")
    train(model, tasks(calls_left=1), out / "grpo", processing_class=tokenizer, learning_rate=2e-5)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
