"""Tests of what `companyos train` is made of."""
