"""`python -m companyos`: the command line."""

from .cli import main

main()
