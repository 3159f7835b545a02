"""The settings of the server and the command line, each a variable `WELLKEPT_…`."""

from typing import Literal

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from wellkept.compose.settings import home
from wellkept.model.errors import InvalidSetting


class Settings(BaseSettings):
    """What an operator can set. The name of a variable is `WELLKEPT_` and the field's, in capitals."""

    model_config = SettingsConfigDict(env_prefix="WELLKEPT_", env_ignore_empty=True, extra="ignore", frozen=True)

    store: str = Field(default_factory=lambda: default_store_url(), description="URL of the store of everything")
    blocks: str | None = Field(default=None, description="URL of another store for blocks")
    passages: str | None = Field(default=None, description="URL of another store for passages")
    embedder: str | None = Field(
        default=None,
        description="Embedder of recall: none, static, onnx, openai:MODEL; without, static if there is numpy",
    )
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
    drain_seconds: float = Field(default=20.0, ge=0, description="How long a stopping server waits for running turns")
    turn_seconds: float = Field(default=600.0, gt=0, description="How long one turn may take")
    notice_seconds: float = Field(
        default=0.0, ge=0, description="How long a stopping server says so at /ready before it takes no more requests"
    )
    open_metrics: bool = Field(default=False, description="Serve /metrics without a key to other machines too")

    @property
    def is_default_store(self) -> bool:
        """Say whether the store is the one that there is without any setting."""
        return self.store == default_store_url()


def spelled(value: object) -> str:
    """Spell a setting's value as one types it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_store_url() -> str:
    """Give the URL of the embedded default: one SQLite file in the home."""
    return f"sqlite:///{home() / 'wellkept.db'}"


def load(**given: str | int | None) -> Settings:
    """Read the settings; what is given goes before the environment, and None is not given.

    Raises:
        InvalidSetting: A value cannot be one; `setting` names its variable.
    """
    try:
        # The types of what is given are checked with those of the environment, by the class.
        return Settings.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"])
        raise InvalidSetting(setting=f"WELLKEPT_{name.upper()}", problem=_said(first)) from error


def _said(wrong: ErrorDetails) -> str:
    """Say in our own words what a setting must be."""
    allowed = wrong.get("ctx", {})
    match wrong["type"]:
        case "literal_error":
            return "must be " + str(allowed["expected"]).replace("'", "")
        case "int_parsing" | "int_type" | "int_from_float":
            return "must be a whole number"
        case "float_parsing" | "float_type":
            return "must be a number"
        case "bool_parsing" | "bool_type":
            return "must be true or false"
        case "greater_than_equal":
            return f"must be at least {allowed['ge']:g}"
        case "greater_than":
            return f"must be more than {allowed['gt']:g}"
        case "less_than_equal":
            return f"must be at most {allowed['le']:g}"
        case _:
            return "cannot be read"
