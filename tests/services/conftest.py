import pytest

from service_house import House


@pytest.fixture
def house() -> House:
    return House()
