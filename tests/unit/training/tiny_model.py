"""A language model of two small layers that reads bytes, with random weights."""

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

TEMPLATE = (
    "{% for message in messages %}{{ message.role[0] + message.content[-30:] + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}>{% endif %}"
)


def write_tiny_model(folder: Path) -> None:
    """Write the model and its tokenizer, which reads the end of each message."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    reader = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    reader.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    reader.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=reader, eos_token="<|end|>", chat_template=TEMPLATE
    )
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
