"""Quarter-end close: an accountant takes the figures in order, settles the variances, and locks the quarter."""
