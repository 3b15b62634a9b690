"""How long the bus waits for something to come."""

from companyos.chassis.events import bus, redis_client


def test_a_wait_in_vain_ends_before_its_connection_counts_as_lost() -> None:
    connection = redis_client.connect("redis://localhost").connection_pool.make_connection()

    assert connection.socket_timeout == redis_client.TIMEOUT_S
    assert bus.WAIT_MS / 1000 <= redis_client.TIMEOUT_S - 1
