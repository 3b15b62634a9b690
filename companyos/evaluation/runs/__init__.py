"""Runs: an agent plays many episodes concurrently, and a folder holds the results."""

from .folder import FolderUnusable, OtherRun, Run, RunFolder, read_run
from .records import EpisodeEnding, EpisodeRecord, FaultResult, PredicateKind, PredicateResult
from .request import AgentSpec, Budgets, EpisodeTask, RunRequest

__all__ = [
    "AgentSpec",
    "Budgets",
    "EpisodeEnding",
    "EpisodeRecord",
    "EpisodeTask",
    "FaultResult",
    "FolderUnusable",
    "OtherRun",
    "PredicateKind",
    "PredicateResult",
    "Run",
    "RunFolder",
    "RunRequest",
    "read_run",
]
