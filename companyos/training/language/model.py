"""A causal language model: how it is loaded, which of its weights are trained, and what it reads."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from ..config import LanguageSettings
from ..rollouts import Rollout
from .conversation import messages_before


class LanguageModel:
    """A causal language model with its tokenizer.

    Attributes:
        settings: Those of the policy.
        network: The model, in the library's class.
        tokenizer: Its tokenizer, which has a chat template.
    """

    def __init__(self, settings: LanguageSettings) -> None:
        self.settings = settings
        self.network, self.tokenizer = load_model(settings)

    def prompt_of(self, episode: Rollout, number: int) -> list[int]:
        """Return the tokens before a call of an episode."""
        settings = self.settings
        messages = messages_before(
            episode, number, exchanges=settings.exchanges, shows_tools=settings.shows_tools
        )
        text = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        tokens: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return tokens

    def padded(self, rows: Sequence[Sequence[int]]) -> Any:
        """Return tokens as the model takes them, padded on the left."""
        padded = self.tokenizer.pad({"input_ids": [list(row) for row in rows]}, return_tensors="pt")
        return padded.to(self.network.device)


def load_model(settings: LanguageSettings) -> tuple[Any, Any]:
    """Return the model, on a GPU if there is one, and its tokenizer.

    Weights that are trained are kept in 32 bits. With LoRA the others are in 16 on a GPU.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = AutoTokenizer.from_pretrained(settings.model, padding_side="left")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    is_halved = device == "cuda" and settings.lora_rank > 0
    model = AutoModelForCausalLM.from_pretrained(
        settings.model, dtype=torch.bfloat16 if is_halved else torch.float32
    )
    # What a model recommends for chats, such as a penalty for repetition, would make samples of another policy.
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        max_new_tokens=settings.call_tokens,
        do_sample=False,
    )
    if settings.lora_rank:
        from peft import LoraConfig, get_peft_model

        rank = settings.lora_rank
        adapter = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")
        model = get_peft_model(model, adapter)
    elif settings.train_layers:
        _freeze_below(model, settings.train_layers)
    return model.to(device).eval(), tokenizer


def _freeze_below(model: torch.nn.Module, layers: int) -> None:
    """Train only so many layers, the last ones."""
    stacks = [each for each in model.modules() if isinstance(each, torch.nn.ModuleList)]
    model.requires_grad_(False)
    for layer in max(stacks, key=len)[-layers:]:
        layer.requires_grad_(True)
