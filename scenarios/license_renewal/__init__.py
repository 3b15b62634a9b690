"""License renewal: count the seats in use, then ask who decides about that many."""
