"""Policies over causal language models of Hugging Face."""
