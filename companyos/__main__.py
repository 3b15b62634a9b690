"""`python -m companyos`: the command line."""

import sys

# `-m` puts the working directory first, where a `redis.py` or `logging.py` of the user's would replace the real one.
if not sys.flags.safe_path:
    del sys.path[0]

from .cli import main

main()
