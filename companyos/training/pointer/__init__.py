"""The small policy without pretrained weights, which points at values that it has seen."""
