"""ApprovalFlow: approval types with their policies, requests, and the people who decide them."""
