"""The client of this environment, where OpenEnv's tools look for one."""

from companyos.client import CompanyosEnv

__all__ = ["CompanyosEnv"]
