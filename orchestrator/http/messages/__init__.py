"""Requests and responses of the trainer API: parsing, models, problem documents, access."""
