"""The client of this environment, in the place where OpenEnv's tools look for it."""

from companyos.client import CompanyosEnv

__all__ = ["CompanyosEnv"]
