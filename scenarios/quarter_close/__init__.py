"""Quarter-end close: refresh the figures in order, settle the variances, and lock the quarter."""
