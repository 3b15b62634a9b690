"""What a page loads or links to: the addresses in it that name a host."""

import html
import re
from urllib.parse import urlsplit

#: The attributes of HTML, and the two forms of CSS, that hold an address.
ADDRESS = re.compile(
    r"""\b(?:src|srcset|href|action|data|poster)\s*=\s*["']?([^"'\s>]+)|url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""",
    re.IGNORECASE,
)


def foreign_sources(page: str, host: str) -> list[str]:
    """Return the addresses in a page that name another host than `host`, which may have a port."""
    addresses = [html.unescape(next(filter(None, found))) for found in ADDRESS.findall(page)]
    return [address for address in addresses if urlsplit(address).netloc not in ("", host)]
