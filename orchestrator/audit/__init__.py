"""Trace audits: verification of hashes and recomputation of grades, without a stack."""
