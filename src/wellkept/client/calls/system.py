"""Calls about the state of the server."""

from wellkept.client.call import Call, call
from wellkept.wire import admin as wire
from wellkept.wire.endpoints import system as table


def live() -> Call[wire.Alive]:
    """Ask whether the server runs."""
    return call(table.LIVE)


def ready() -> Call[wire.ReadyAnswer]:
    """Ask whether the server's stores answer."""
    return call(table.READY)
