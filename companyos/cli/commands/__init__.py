"""Options that commands share, and the declarations of those commands that do not fit on the page of `app`."""
