"""The client for CompanyOS episodes, blocking or asynchronous."""

from .batch import CompanyosBatch
from .containers import ContainerFailed
from .environment import AsyncCompanyosEnv, CompanyosEnv, Via
from .errors import (
    CellGone,
    CompanyosError,
    EpisodeOver,
    InvalidRequest,
    NoEpisode,
    ProxyUnusable,
    Refused,
    ServerUnreachable,
    StepsLost,
    TokenRefused,
    Unavailable,
    UnexpectedAnswer,
)
from .records import Observation, Record, Result
from .server import TOKEN_VARIABLE

__all__ = [
    "TOKEN_VARIABLE",
    "AsyncCompanyosEnv",
    "CellGone",
    "CompanyosBatch",
    "CompanyosEnv",
    "CompanyosError",
    "ContainerFailed",
    "EpisodeOver",
    "InvalidRequest",
    "NoEpisode",
    "Observation",
    "ProxyUnusable",
    "Record",
    "Refused",
    "Result",
    "ServerUnreachable",
    "StepsLost",
    "TokenRefused",
    "Unavailable",
    "UnexpectedAnswer",
    "Via",
]
