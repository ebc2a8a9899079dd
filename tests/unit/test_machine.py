"""How much of a machine Spark takes: a container's share of it, or what the environment says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psutil
import pytest

import notebook_udf as nu
from notebook_udf.kernel.arguments import number_of_workers
from notebook_udf.launch import machine

MACHINE = psutil.virtual_memory().total


def made(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


@pytest.mark.parametrize(
    "files",
    [
        {"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": str(2 << 30),
         "sys/fs/cgroup/cpu.max": "100000 100000"},
        {"proc/self/cgroup": "0::/a.slice/b", "sys/fs/cgroup/a.slice/memory.max": str(2 << 30),
         "sys/fs/cgroup/a.slice/b/memory.max": "max",
         "sys/fs/cgroup/a.slice/b/cpu.max": "50000 100000"},
        {"proc/self/cgroup": "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x",
         "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2 << 30),
         "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000",
         "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
    ],
    ids=["in a container", "in a slice", "of the older kind"],
)  # fmt: skip
def test_a_container_is_the_machine(files: dict[str, str], tmp_path: Path) -> None:
    root = made(tmp_path, files)
    assert machine.memory(root) == min(2 << 30, MACHINE)
    assert machine.processors(root) == 1


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": "max",
         "sys/fs/cgroup/cpu.max": "max 100000"},
        {"proc/self/cgroup": "5:memory:/\n4:cpu:/",
         "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2**63 - 4096),
         "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
         "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
    ],
    ids=["none", "no limit", "no limit, older"],
)  # fmt: skip
def test_without_limits_it_is_all_there_is(files: dict[str, str], tmp_path: Path) -> None:
    root = made(tmp_path, files)
    assert machine.memory(root) == MACHINE
    assert machine.processors(root) == len(os.sched_getaffinity(0))


def test_the_environment_goes_before_and_the_code_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(machine.WORKERS_VARIABLE, "3")
    monkeypatch.setenv(machine.DRIVER_MEMORY_VARIABLE, "640m")
    assert number_of_workers(None, None) == 3
    assert number_of_workers(None, 5) == 5
    assert machine.driver_memory() == 640 << 20


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5"])
def test_no_number_of_workers(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(machine.WORKERS_VARIABLE, said)
    with pytest.raises(nu.DeclarationError, match=f"NOTEBOOK_UDF_WORKERS='{said}'"):
        machine.workers()


def test_no_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(machine.DRIVER_MEMORY_VARIABLE, "much")
    with pytest.raises(nu.DeclarationError, match="NOTEBOOK_UDF_DRIVER_MEMORY: 'much'"):
        machine.driver_memory()


def test_a_machine_is_shared_while_another_person_uses_it() -> None:
    if os.getuid() != 0:
        pytest.skip("only root can start a process of another user")
    before = machine.is_shared()
    with subprocess.Popen(["sleep", "60"], user=51_234) as process:
        assert machine.is_shared()
        process.kill()
    assert machine.is_shared() == before
    with subprocess.Popen(["sleep", "60"], user=65_534) as process:
        assert machine.is_shared() == before
        process.kill()
