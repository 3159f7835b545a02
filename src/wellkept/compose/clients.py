"""The clients of a server, with what is not said taken from the environment."""

from wellkept.client import async_client, client
from wellkept.client.async_client import AsyncTransport
from wellkept.client.async_sender import AsyncSleep
from wellkept.client.client import Transport
from wellkept.client.retries import RETRIES, Retries
from wellkept.client.sender import Sleep
from wellkept.compose import settings
from wellkept.model.errors import InvalidSetting


class Client(client.Client):
    """`wellkept.client` with defaults: `WELLKEPT_API_KEY` and `WELLKEPT_BASE_URL`, else http://127.0.0.1:8787."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        retries: Retries = RETRIES,
        transport: Transport | None = None,
        sleep: Sleep | None = None,
    ) -> None:
        """Talk to a server; nothing is sent yet.

        Raises:
            InvalidSetting: Neither the argument nor the environment says the key.
            InvalidInput: The address, the key or the timeout cannot be one.
        """
        super().__init__(
            api_key=_key(api_key),
            base_url=settings.base_url() if base_url is None else base_url,
            timeout=timeout,
            retries=retries,
            transport=transport,
            sleep=sleep,
        )


class AsyncClient(async_client.AsyncClient):
    """`wellkept.client` with defaults: `WELLKEPT_API_KEY` and `WELLKEPT_BASE_URL`, else http://127.0.0.1:8787."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        retries: Retries = RETRIES,
        transport: AsyncTransport | None = None,
        sleep: AsyncSleep | None = None,
    ) -> None:
        """Talk to a server; nothing is sent yet.

        Raises:
            InvalidSetting: Neither the argument nor the environment says the key.
            InvalidInput: The address, the key or the timeout cannot be one.
        """
        super().__init__(
            api_key=_key(api_key),
            base_url=settings.base_url() if base_url is None else base_url,
            timeout=timeout,
            retries=retries,
            transport=transport,
            sleep=sleep,
        )


def _key(given: str | None) -> str:
    key = settings.api_key() if given is None else given
    if key is None:
        raise InvalidSetting(setting="WELLKEPT_API_KEY", problem="is not set", do="set it, or pass api_key=…")
    return key
