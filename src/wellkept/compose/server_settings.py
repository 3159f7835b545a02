"""The settings of the server and the command line, each a variable `WELLKEPT_…`."""

from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from wellkept.compose.settings import home
from wellkept.model.errors import Misconfigured


class Settings(BaseSettings):
    """What an operator can set. The name of a variable is `WELLKEPT_` and the field's, in capitals."""

    model_config = SettingsConfigDict(env_prefix="WELLKEPT_", env_ignore_empty=True, extra="ignore", frozen=True)

    store: str = Field(default_factory=lambda: default_store_url(), description="URL of the store of everything")
    blocks: str | None = Field(default=None, description="URL of another store for blocks")
    model: str = Field(default="offline", description="Model of agents that name none, as pydantic-ai spells it")
    host: str = Field(default="127.0.0.1", description="Address to listen on")
    port: int = Field(
        default=8787, ge=0, le=65535, description="Port to listen on; the next free one if it is taken; 0: any"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="How much is logged")
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="How it is logged; auto: console on a terminal, else JSON"
    )
    max_body_bytes: int = Field(default=1_048_576, ge=1_024, description="Bytes a request's body may have")
    notice_seconds: float = Field(
        default=0.0, ge=0, description="How long a server says at /ready that it stops before it does, for a balancer"
    )
    drain_seconds: float = Field(default=20.0, ge=0, description="How long a stopping server waits for running turns")
    turn_seconds: float = Field(default=600.0, gt=0, description="How long one turn may take")
    open_metrics: bool = Field(default=False, description="Serve /metrics without a key to other machines too")

    @property
    def is_default_store(self) -> bool:
        """Say whether the store is the one that there is without any setting."""
        return self.store == default_store_url()


def default_store_url() -> str:
    """Give the URL of the embedded default: one SQLite file in the home."""
    return f"sqlite:///{home() / 'wellkept.db'}"


def load(**given: str | int | None) -> Settings:
    """Read the settings; what is given goes before the environment, and None is not given.

    Raises:
        Misconfigured: A value cannot be one; `setting` names its variable.
    """
    try:
        # The types of what is given are checked with those of the environment, by the class.
        return Settings.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"])
        raise Misconfigured(setting=f"WELLKEPT_{name.upper()}", problem=first["msg"]) from error
