"""Packs that several scenarios share: each folder holds what one department brings to a company."""
