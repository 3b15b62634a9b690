"""Train one step with TRL as the example does, on what the oracle says: usage `trl_oracle.py URL FOLDER`.

The model has random weights and a tokenizer of bytes, so that nothing is downloaded. Its sampling is replaced by what
the oracle says, and its loss by a constant, since an episode has a hundred thousand bytes. Prompts, tools, rewards and
the loop over calls are GRPOTrainer's own.
"""

import json
import sys
from functools import partial
from pathlib import Path

import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from tests.adapters.programs.oracle import OracleModel, written

SEEDS = (7, 8)
#: What Qwen's chat template writes, and its parser looks for.
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
LONGEST = 400_000
#: One step on both seeds in order, with whole episodes of a token per byte.
STEP = {
    "max_steps": 1,
    "per_device_train_batch_size": 4,
    "gradient_accumulation_steps": 1,
    "num_generations": 2,
    "max_completion_length": 200_000,
    "shuffle_dataset": False,
}


class OracleTrainer(GRPOTrainer):
    """Lets the oracle speak in place of the model."""

    def __init__(self, oracle, **options):
        self.oracle = oracle
        super().__init__(**options)

    def _generate_single_turn(self, prompt_ids, *_, **__):
        texts = [self.processing_class.decode(ids) for ids in prompt_ids]
        said = [self.processing_class.encode(self.say(text)) for text in texts]
        return said, None

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        return sum(weights.sum() for weights in model.parameters()) * 0

    def say(self, text):
        """Return the model's turn after a rendered conversation."""
        _, prompt, *turns = text.split("<|im_start|>user\n")
        call = self.oracle([prompt, *turns])
        return (written(call) if call else "Done.") + "<|im_end|>"


def tokenizer():
    """Return a tokenizer of bytes, with the chat template of Qwen3."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={letter: n for n, letter in enumerate(letters)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytewise.decoder = decoders.ByteLevel()
    bytewise.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in SPECIAL])
    bytewise.add_tokens([AddedToken(each, special=False, normalized=False) for each in TAGS])
    made = PreTrainedTokenizerFast(tokenizer_object=bytewise, pad_token=SPECIAL[0], eos_token=SPECIAL[2])
    made.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return made


def smallest(vocabulary):
    """Return the smallest model of its architecture."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=vocabulary, num_key_value_heads=1, head_dim=8, max_position_embeddings=LONGEST, **sizes
        )
    )


def main(url, folder):
    resets = [
        {"scenario": "vendor_onboarding", "seed": seed, "chaos": 1, "rewards": "drill"} for seed in SEEDS
    ]
    oracle, words = OracleModel(url, resets), tokenizer()

    def trainer(**options):
        return OracleTrainer(oracle, **{**options, "model": smallest(len(words)), "processing_class": words})

    # The example is run as it stands, but for the model, and for settings that a machine without a GPU needs.
    trl.GRPOTrainer = trainer
    trl.GRPOConfig = partial(GRPOConfig, use_cpu=True, bf16=False, save_strategy="no", logging_steps=1)
    from examples.train_trl import tasks, train

    trained = train("", tasks(None, SEEDS), Path(folder), **STEP)
    print(
        json.dumps(
            {
                "rewards": [each.get_reward() for each in trained.environments],
                "success": [each.result.metadata.success for each in trained.environments],
                "log": trained.state.log_history[0],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
