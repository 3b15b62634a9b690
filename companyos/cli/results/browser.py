"""Opens pages in the browser of this machine."""

from ..output import echo


def show_in_browser(address: str) -> None:
    """Open a URL in the browser, or print that there is no browser."""
    import webbrowser

    if not webbrowser.open(address):
        echo(f"No browser could be opened. Open {address} yourself.", err=True)
