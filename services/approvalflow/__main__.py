"""Run ApprovalFlow in its own process: `python -m services.approvalflow`."""

from companyos.embedded.server import serve

if __name__ == "__main__":
    serve("approvalflow")
