"""Run DataHub in its own process: `python -m services.datahub`."""

from companyos.embedded.server import serve

if __name__ == "__main__":
    serve("datahub")
