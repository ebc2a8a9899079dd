"""The address of a Connect server, ``sc://host:port``, and whether somebody listens there."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import Any

import grpc
from pyspark.errors import PySparkValueError
from pyspark.sql.connect.client.core import DefaultChannelBuilder

from notebook_udf.errors import DeclarationError, SessionError

_PATIENCE_SECONDS = 5.0
_HANDSHAKE_SECONDS = 10.0


@dataclass(frozen=True)
class ServerAddress:
    """Where a server listens.

    Attributes
    ----------
    host, port
        As in the address.
    own
        The address of this machine as it is seen from there; "" if that is this machine.
    """

    host: str
    port: int
    own: str


def reached(channel: Any) -> ServerAddress:
    """The address that a channel builder of PySpark's is for, once somebody has answered there.

    PySpark would try for minutes and say nothing.

    Raises
    ------
    SessionError
        If nobody listens at it, or the builder tells of no address.
    """
    if not hasattr(channel, "endpoint"):
        raise SessionError(
            f"a {type(channel).__name__} does not say where its server is, and workers could not "
            "be heard from there: pass a session whose channel builder derives from PySpark's "
            "DefaultChannelBuilder"
        )
    host, _, port = str(channel.endpoint).rpartition(":")
    host = host.strip("[]")
    try:
        with socket.create_connection((host, int(port)), _PATIENCE_SECONDS) as peer:
            own, other = peer.getsockname()[0], peer.getpeername()[0]
    except OSError as error:
        raise SessionError(
            f"no Spark Connect server answers at sc://{channel.endpoint}: {error}. Start one there "
            f"(sbin/start-connect-server.sh in Spark's folder), or check the name, the port and "
            f"what is between"
        ) from error
    here = own == other or ipaddress.ip_address(own.partition("%")[0]).is_loopback
    return ServerAddress(host, int(port), "" if here else own)


def check_handshake(channel: Any) -> None:
    """Makes sure that gRPC is spoken at the address of a channel builder of PySpark's.

    As in ``reached``, PySpark would try for minutes and say nothing.

    Raises
    ------
    SessionError
        If it is not, or with TLS on one side alone.
    """
    opened = channel.toChannel()
    ready = grpc.channel_ready_future(opened)
    try:
        ready.result(_HANDSHAKE_SECONDS)
    except grpc.FutureTimeoutError:
        raise SessionError(
            f"what listens at sc://{channel.endpoint} does not answer as a Spark Connect server "
            f"would: check the port, and whether the server has TLS, which use_ssl=true or a token "
            f"in the address asks for"
        ) from None
    finally:
        ready.cancel()
        opened.close()


def channel_to(url: str) -> DefaultChannelBuilder:
    """PySpark's channel builder for an address.

    Raises
    ------
    DeclarationError
        If the text is no such address.
    """
    try:
        return DefaultChannelBuilder(url)
    except (PySparkValueError, ValueError) as error:
        raise DeclarationError(
            f"remote={url.partition(';')[0]!r} is no address of a Spark Connect server, such as "
            f"sc://host:15002: {error}"
        ) from error
