"""Run DataHub as a process of its own: `python -m services.datahub`."""

from companyos.embedded.server import serve

if __name__ == "__main__":
    serve("datahub")
