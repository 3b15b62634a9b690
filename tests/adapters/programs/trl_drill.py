"""Train on drills as TRL's page does, and print the mean reward of each step.

Usage: `trl_drill.py FOLDER PAGE STEPS SEED…`.

The model has random weights, and its tokens are lines: what it can write is a few calls, and it can tell no two other
lines apart. What it learns is which call to make. Everything but the model, its learning rate and the length of its
turns is the page's, and the number of steps if it is given as 0.
"""

import json
import os
import sys
from pathlib import Path

import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM, set_seed
from trl import GRPOConfig, GRPOTrainer

from tests.adapters.programs.oracle import written
from tests.adapters.programs.page import blocks, run
from tests.adapters.programs.trl_oracle import SPECIAL, TAGS

CALLS = (
    {"name": "finish", "arguments": {"answer": "Done."}},
    {"name": "refuse", "arguments": {"reason_code": "policy_forbids", "evidence": ["DOC-0001"]}},
    {"name": "wait", "arguments": {"seconds": 60}},
    {"name": "ticketdesk_list_tickets", "arguments": {"limit": 1}},
)
LEARNING_RATE = 1e-2
LONGEST_TURN = 32


def tokenizer_of_lines():
    """Return a tokenizer of lines, with the chat template of Qwen3."""
    lines = Tokenizer(models.WordLevel({"?": 0, "\n": 1, "assistant": 2}, unk_token="?"))
    lines.pre_tokenizer = pre_tokenizers.Split("\n", "isolated")
    lines.decoder = decoders.Fuse()
    lines.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in SPECIAL])
    known = [*TAGS, *map(written, CALLS)]
    lines.add_tokens([AddedToken(each, special=False, normalized=False) for each in known])
    made = PreTrainedTokenizerFast(tokenizer_object=lines, pad_token=SPECIAL[0], eos_token=SPECIAL[2])
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return made


def random_model(vocabulary):
    """Return a small model of random weights."""
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=vocabulary, num_key_value_heads=2, head_dim=16, max_position_embeddings=8192, **sizes
        )
    )


def rewards(page, steps, seed):
    """Train once, and return the mean reward of each step."""
    set_seed(seed)
    words = tokenizer_of_lines()
    model = random_model(len(words))
    trl.GRPOTrainer = lambda **options: GRPOTrainer(**{**options, "model": model, "processing_class": words})
    machine = {"use_cpu": True, "bf16": False, "save_strategy": "no", "disable_tqdm": True}
    machine |= {"max_steps": steps} if steps else {}
    learning = {"learning_rate": LEARNING_RATE, "max_completion_length": LONGEST_TURN, "seed": seed}
    trl.GRPOConfig = lambda **options: GRPOConfig(**{**options, **machine, **learning, "logging_steps": 1})
    trained = run(blocks(page)[:1])["trainer"]
    return [step["reward"] for step in trained.state.log_history if "reward" in step]


def main(folder, page, steps, *seeds):
    torch.set_num_threads(1)
    os.chdir(folder)
    print(json.dumps({seed: rewards(Path(page), int(steps), int(seed)) for seed in seeds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
