"""The vocabulary of engineering: components and their symptoms."""

from companyos.sdk.company import words

COMPONENTS = words(
    """
    auth billing checkout search notification reporting inventory identity gateway scheduling export
    archive
    """
)
#: The parts that a component runs as.
PARTS = ("service", "services proxy", "worker", "gateway")
SYMPTOMS = (
    "Requests fail after the nightly deployment",
    "Sessions are dropped at random",
    "Answers arrive twice",
    "Users see an error page after signing in",
    "Calls time out under load",
    "Retries pile up in the queue",
)
