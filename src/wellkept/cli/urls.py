"""Addresses of stores, for people."""

from urllib.parse import urlsplit, urlunsplit


def without_secrets(url: str) -> str:
    """Give an address without a user's name and password, and without the options after it."""
    parts = urlsplit(url)
    if "@" not in parts.netloc and not parts.query:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
