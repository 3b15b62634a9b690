"""Print what `openenv push` would say of a folder before it uploads it, as a list of warnings.

Usage: check_push.py FOLDER.
"""

import sys
from pathlib import Path

from openenv.cli._cli_utils import validate_env_structure
from openenv.cli.commands.push import _prepare_staging_directory

folder = Path(sys.argv[1])
warnings = validate_env_structure(folder)
_prepare_staging_directory(
    folder, "companyos", folder.with_name("staged"), ignore_patterns=[".*", "__pycache__"]
)
print([warning for warning in warnings if "outputs/" not in warning])
