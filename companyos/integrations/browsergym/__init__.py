"""BrowserGym: a task `browsergym/companyos.<family>` for each family, played in the pages of its episode.

    import companyos.integrations.browsergym
    env = gymnasium.make("browsergym/companyos.license_renewal", task_kwargs={"chaos": 0})

Actions, observations and the browser are BrowserGym's own. Its chat is kept without the second browser that shows it.
"""

from .tasks import CompanyTask as CompanyTask

__all__ = ["CompanyTask"]
