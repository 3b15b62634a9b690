"""Packs that several scenarios share; each folder contains one department's part of a company."""
