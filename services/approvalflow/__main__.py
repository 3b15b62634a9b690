"""Run ApprovalFlow as a process of its own: `python -m services.approvalflow`."""

from companyos.embedded.server import serve

if __name__ == "__main__":
    serve("approvalflow")
