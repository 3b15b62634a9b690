"""Opens pages in the browser of whoever sits at this machine."""

import typer


def show_in_browser(address: str) -> None:
    """Open an address in the browser, or say that there is none to open it in."""
    import webbrowser

    if not webbrowser.open(address):
        typer.echo(f"No browser could be opened. Open {address} yourself.", err=True)
