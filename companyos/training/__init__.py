"""Trains a small policy on live episodes; needs the extra `train`."""
