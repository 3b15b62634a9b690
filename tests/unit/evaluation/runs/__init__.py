"""Tests of what runs are made of, without a stack."""
