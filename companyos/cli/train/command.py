"""Trains the small policy on a stack; needs the extra `train`."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from companyos.client import CompanyosError
from companyos.client.batch import CompanyosBatch
from companyos.embedded.errors import Misuse, StackError
from companyos.evaluation.runs import FolderUnusable, refuse_place
from companyos.training.config import CloningConfig, ReinforcementConfig, load_config

from ..demo import checked_url, trainer_stack
from ..output import echo

#: A training outlasts a stack that restarts: requests are sent again for a minute.
PAUSES_S: Final = (0.1, 0.3, 1.0, 3.0, *(5.0,) * 11)

Method = Literal["sft", "rl"]


def run(method: Method, file: Path, home: Path | None, *, url: str | None, token: str | None) -> None:
    """Train as a configuration says, and show the progress.

    Raises:
        Misuse: The folder of the run cannot be written.
        StackError: The extra is missing, the configuration is wrong, or the stack fails.
    """
    if find_spec("torch") is None:
        raise StackError("Training needs PyTorch: pip install 'openenv-companyos[train]'")
    try:
        config = load_config(CloningConfig if method == "sft" else ReinforcementConfig, file)
    except (OSError, ValueError) as failure:
        raise StackError(f"{file}: {failure}") from failure
    try:
        refuse_place(config.out, option="`out`")
    except FolderUnusable as failure:
        raise Misuse(f"{file}: {failure}.") from None
    if config.model and find_spec("transformers") is None:
        raise StackError("A language model needs Transformers: pip install 'openenv-companyos[language]'")
    with trainer_stack(home, checked_url(url), token) as (address, key):
        batch = CompanyosBatch(address, config.episodes_at_once, token=key, pauses_s=PAUSES_S)
        try:
            if isinstance(config, CloningConfig):
                from companyos.training.cloning import clone

                clone(config, batch, _say)
            elif isinstance(config, ReinforcementConfig):
                from companyos.training.reinforcement import reinforce

                reinforce(config, batch, _say)
        except (CompanyosError, FileNotFoundError) as failure:
            raise StackError(str(failure)) from failure
        finally:
            batch.close()


def _say(text: str) -> None:
    echo(text, err=True)
