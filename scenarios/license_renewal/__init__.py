"""License renewal: count the seats in use, then ask the person who may approve that number."""
