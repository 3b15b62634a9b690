"""Incident and change: find what makes a system fail, and mend it as far as the rules allow."""
