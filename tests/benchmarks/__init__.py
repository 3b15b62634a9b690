"""Speed of the whole stack, measured on the real thing and printed beside the floors of the same run."""
