"""The server of `llama-cpp-python`, kept from crashing on schemas of tools that llama.cpp cannot enforce.

`small_model` starts it in the model's environment; it takes the options of `python -m llama_cpp.server`.
"""

from collections.abc import Sequence
from typing import Any

from llama_cpp import llama_grammar, llama_sampler_free, llama_sampler_init_grammar
from llama_cpp.server.__main__ import main

_convert = llama_grammar.json_schema_to_gbnf


def _accepted_grammar(schema: str, prop_order: Sequence[str] | None = None) -> Any:
    """Return a schema's grammar.

    Raises:
        ValueError: llama.cpp refuses the grammar.
    """
    grammar = _convert(schema, prop_order)
    sampler = llama_sampler_init_grammar(None, grammar.encode(), b"root")
    if not sampler:
        raise ValueError("llama.cpp refuses the schema's grammar")
    llama_sampler_free(sampler)
    return grammar


if __name__ == "__main__":
    # The library turns a `maxLength` into as many nested rules, and llama.cpp refuses thousands of them. The library
    # ignores that and samples with a null pointer. It would fall back to any JSON object if the conversion raised.
    llama_grammar.json_schema_to_gbnf = _accepted_grammar
    main()
