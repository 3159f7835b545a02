"""The server: REST, chat, health, metrics. `create_app` makes it, `serve` runs it."""

from wellkept.server.app import create_app
from wellkept.server.metrics import Metrics
from wellkept.server.options import Options
from wellkept.server.serving import Listening, listen, serve
from wellkept.server.turns import Turns

__all__ = ["Listening", "Metrics", "Options", "Turns", "create_app", "listen", "serve"]
