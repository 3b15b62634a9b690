"""Every scenario there is, held to what all of them promise."""
