"""Runs: an agent plays many episodes concurrently, and a folder holds the results."""

from ..stored_json import FolderUnusable
from .folder import OtherRun, Run, RunFolder, read_run, refuse_folder, refuse_place
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
    "refuse_folder",
    "refuse_place",
]
