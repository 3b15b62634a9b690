"""The client for CompanyOS episodes, blocking or asynchronous."""

from .containers import ContainerFailed
from .conversation import (
    CompanyosError,
    EpisodeOver,
    InvalidRequest,
    NoEpisode,
    Observation,
    Record,
    Refused,
    Result,
    ServerUnreachable,
    StepsLost,
    TokenRefused,
    Unavailable,
)
from .environment import TOKEN_VARIABLE, AsyncCompanyosEnv, CompanyosEnv, Via

__all__ = [
    "TOKEN_VARIABLE",
    "AsyncCompanyosEnv",
    "CompanyosEnv",
    "CompanyosError",
    "ContainerFailed",
    "EpisodeOver",
    "InvalidRequest",
    "NoEpisode",
    "Observation",
    "Record",
    "Refused",
    "Result",
    "ServerUnreachable",
    "StepsLost",
    "TokenRefused",
    "Unavailable",
    "Via",
]
