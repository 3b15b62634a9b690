"""A program that prints digests of a scenario's instances, for comparison between processes."""

import sys

from companyos.sdk.scenario import load_scenario

from .suite import digests


def main() -> None:
    """Print the digests of the scenario in the folder named on the command line."""
    print("\n".join(digests(load_scenario(sys.argv[1]))))


if __name__ == "__main__":
    main()
