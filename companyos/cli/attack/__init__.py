"""The `attack` command: search scenarios for loops and plans that earn what they should not."""
