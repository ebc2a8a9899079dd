"""What a process listens on that other machines reach."""

from __future__ import annotations

import ipaddress

import psutil

# What a Spark that is to be reached from this machine alone is started with.
ALONE = "SPARK_LOCAL_IP=127.0.0.1 and --conf spark.driver.bindAddress=127.0.0.1"


def ports_outside(pid: int) -> list[int]:
    """The TCP ports of a process that are open beyond this machine; none if it cannot be asked."""
    try:
        sockets = psutil.Process(pid).net_connections("tcp")
    except psutil.Error:
        return []
    found = {
        each.laddr.port
        for each in sockets
        if each.status == psutil.CONN_LISTEN and not _is_loopback(each.laddr.ip)
    }
    return sorted(found)


def _is_loopback(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    # Java listens for both kinds of addresses on one socket.
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback
