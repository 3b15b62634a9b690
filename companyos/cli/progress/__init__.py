"""The progress that commands show on standard error."""
