"""Proofs on the product's three services: worlds reset, branch, stay apart and leave nothing behind."""
