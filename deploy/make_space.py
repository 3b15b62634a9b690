"""Gather the files of a Hugging Face Space of this environment in one folder.

Usage: python deploy/make_space.py FOLDER

Then run `openenv push FOLDER`, or push the folder to the Space's git repository.
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The sources of the image, and the files that OpenEnv's manifest names.
CONTENT = (
    "Dockerfile",
    "LICENSE",
    "companyos",
    "deploy",
    "examples",
    "openenv.yaml",
    "orchestrator",
    "pyproject.toml",
    "requirements.lock",
    "scenarios",
    "services",
)
#: Files for the Space only; their README begins with the metadata that the Hub reads.
OWN = ROOT / "deploy" / "space"
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


def make_space(folder: Path) -> None:
    """Fill a folder, which must not exist yet.

    Raises:
        FileExistsError: The folder exists.
    """
    shutil.copytree(OWN, folder, ignore=LEFT_OUT)
    for name in CONTENT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(source, folder / name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        make_space(Path(sys.argv[1]))
    except FileExistsError:
        sys.exit(f"{sys.argv[1]} exists. Name a folder that does not.")
