"""The command asks nobody and writes nowhere but where it was told to, and in the system's temporary folder."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ugt

# Runs commands under an audit hook, sockets blocked; prints what the hook saw. `sys.argv`: a file of jobs (words of the command, or
# Python to run), and the file to write.
WATCHER = r"""
import json, os, sys

seen = []
PREFIXES = ("socket.", "tempfile.", "subprocess.", "urllib.", "http.", "ftplib.", "smtplib.", "ssl.", "webbrowser.", "winreg.")
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.system", "os.exec",
           "os.posix_spawn", "os.fork", "shutil.move", "shutil.copyfile", "shutil.copytree", "shutil.rmtree",
           "shutil.make_archive", "sqlite3.connect"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
watching = True

def text(value):
    return os.fsdecode(value) if isinstance(value, (str, bytes)) else repr(value)

def hook(event, arguments):
    if not watching:
        return
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, (str, bytes)) and (set(mode or "") & set("wax+") or flags & WRITES):
            seen.append(["open", text(path), os.getcwd()])
    elif event.startswith(PREFIXES) or event in CHANGES:
        folder = os.getcwd()
        if event in ("os.remove", "os.rmdir") and arguments[1] != -1:  # from an open folder, as shutil.rmtree does
            if not os.path.exists("/proc/self/fd"):
                return
            folder = os.readlink(f"/proc/self/fd/{arguments[1]}")
        seen.append([event, *map(text, arguments), folder])

sys.addaudithook(hook)

import socket

class Blocked(socket.socket):
    def __init__(self, *arguments, **options):
        raise RuntimeError("a socket was made")

def refused(*arguments, **options):
    raise RuntimeError("a socket was made")

socket.socket, socket.create_connection, socket.socketpair, socket.getaddrinfo = Blocked, refused, refused, refused

from ugt import cli

with open(sys.argv[1], encoding="utf-8") as file:
    jobs = json.load(file)
codes = [cli.main(job) if isinstance(job, list) else exec(job) for job in jobs]
watching = False
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump({"codes": codes, "seen": seen}, file)
"""

RESAMPLES = ["--n-boot", "20"]
JOBS = [
    ["evaluate", "--annotations", "labels.csv", "--predictions", "A.csv", "B.csv", "--out", "out/evaluation", *RESAMPLES],
    ["certainty", "labels.csv", "--out", "out/certainty.csv"],
    ["agreement", "labels.csv", "--out", "out/agreement", *RESAMPLES],
    ["calibrate", "--annotations", "labels.csv", "--fit", "A.csv", "--apply", "B.csv", "--out", "out/calibrated"],
    ["conformal", "--annotations", "labels.csv", "--calibrate", "A.csv", "--apply", "B.csv", "--out", "out/sets"],
    *(["convert", "labels.csv", f"out/labels.{ending}"] for ending in ("csv.gz", "npz")),
    ["report", "out/evaluation/evaluation.json", "--out", "out/again.html"],
    "from ugt import synthetic as s; s.make_rankings = lambda n, *more, made=s.make_rankings, **seed: made(60, *more, **seed)",
    ["demo", "--out", "out/demo"],  # which the line above shortens
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with data, an empty home and an empty temporary folder."""
    folder = tmp_path_factory.mktemp("place").resolve()
    for name in ("data", "home", "temporary"):
        (folder / name).mkdir()
    data = folder / "data"
    rows = "".join(f"p{i},{who},{'xyz'[(i + (who + i) % 4 // 3) % 3]}\n" for i in range(24) for who in range(4))
    (data / "labels.csv").write_text("case,annotator,label\n" + rows, encoding="utf-8")
    for name, period in (("A", 4), ("B", 5)):  # right but for every fourth or fifth case
        rows = (f"p{i},{','.join('0.6' if k == (i + (i % period == 0)) % 3 else '0.2' for k in range(3))}\n" for i in range(24))
        (data / f"{name}.csv").write_text("case,x,y,z\n" + "".join(rows), encoding="utf-8")
    (data / "out").mkdir()
    return folder


def environment(place):
    """That of this process with a home of its own; Python's own files of compiled modules are not what is asked here."""
    own = {"HOME": str(place / "home"), "USERPROFILE": str(place / "home"), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(place / "temporary"))
    source = str(Path(ugt.__file__).parents[1])  # the package under test, installed or not
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MPL", "COVERAGE", "PYTEST"))}
    return {**kept, **own, **temporary, "PYTHONPATH": source}


def watched(place, jobs):
    """What the jobs did, as events of the interpreter."""
    (place / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    command = [sys.executable, "-c", WATCHER, str(place / "jobs.json"), str(place / "seen.json")]
    done = subprocess.run(command, cwd=place / "data", env=environment(place), capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((place / "seen.json").read_text(encoding="utf-8"))


def strangers(paths, place):
    """Files outside the folder of the output and the system's temporary folder, but for the empty device."""
    allowed = [place / "data" / "out", place / "temporary"]
    empty = {Path(os.path.realpath(os.devnull)), Path("/dev/tty"), Path("Z:/dev/null")}  # the last one under wine
    resolved = {Path(os.path.realpath(path)) for path in paths} - empty
    return sorted(str(path) for path in resolved if not any(one == path or one in path.parents for one in allowed))


def paths_of(event):
    """The files that an event names: all its texts that are no number, from the folder it happened in."""
    name, *arguments, folder = event
    count = 2 if name in ("os.rename", "os.link", "os.symlink") else name in ("open", "os.mkdir", "os.remove", "os.rmdir", "os.truncate")
    return [os.path.join(folder, path) for path in arguments[:count]]


#: what the processor can: scipy imports numpy.testing, which asks, until numpy 2.0
ASKED_BY_NUMPY = ["subprocess.Popen", "lscpu"]
#: the same on Windows, where the name of the machine and the version of the system are asked too
ASKED_ON_WINDOWS = ("socket.gethostname", "winreg.OpenKey", "winreg.OpenKey/result", "winreg.QueryValue")


def is_of_numpy(event):
    if os.name != "nt":
        return event[:2] == ASKED_BY_NUMPY
    return event[0] in ASKED_ON_WINDOWS or (event[0] == "subprocess.Popen" and event[2].endswith(("lscpu", 'cmd.exe /c "ver"')))


def faults(found, place):
    """Events that must not be."""
    harmless = (
        "open", "os.mkdir", "os.remove", "os.rmdir", "os.rename", "os.truncate", "tempfile.mkstemp", "tempfile.mkdtemp", "shutil.rmtree",
        "fcntl.flock",
    )  # fmt: skip
    forbidden = [event[:2] for event in found["seen"] if event[0] not in harmless and not is_of_numpy(event)]
    return forbidden, strangers([path for event in found["seen"] for path in paths_of(event)], place)


@pytest.fixture(scope="module")
def found(place):
    return watched(place, JOBS)


@pytest.mark.slow
def test_every_command_ran(found, place):
    assert found["codes"] == [0 if isinstance(job, list) else None for job in JOBS]
    written = {str(path.relative_to(place / "data" / "out")).split(os.sep)[0] for path in (place / "data" / "out").rglob("*")}
    assert sorted(written) == [
        *("again.html", "agreement", "calibrated", "certainty.csv", "demo", "evaluation", "labels.csv.gz", "labels.npz", "sets")
    ]


def test_nobody_is_asked_and_nothing_is_started(found, place):
    assert faults(found, place)[0] == []


def test_files_are_written_where_they_should(found, place):
    assert len([event for event in found["seen"] if event[0] == "open"]) > 20
    assert faults(found, place)[1] == []


def test_nothing_is_left_in_the_temporary_folder_or_at_home(found, place):
    assert list((place / "temporary").iterdir()) == list((place / "home").iterdir()) == []
    assert sorted(path.name for path in (place / "data").iterdir()) == ["A.csv", "B.csv", "labels.csv", "out"]


DEEDS = [  # what is done, the event it is seen as, the file that is touched
    ("open(os.path.expanduser('~/left'), 'w').close()", None, "home/left"),
    ("os.mkdir('../data/cache')", None, "data/cache"),
    ("os.replace('gone.csv', 'moved.csv')", None, "data/moved.csv"),
    ("socket.gethostname()", "socket.gethostname", None),
    ("__import__('_socket').socket()", "socket.__new__", None),
    ("__import__('subprocess').run([sys.executable, '-c', ''])", "subprocess.Popen", None),
]


@pytest.mark.slow
def test_the_watcher_sees_what_must_not_be(place):
    (place / "data" / "gone.csv").write_text("", encoding="utf-8")
    try:
        forbidden, outside = faults(watched(place, [deed for deed, _, _ in DEEDS]), place)
    finally:
        for left in ("home/left", "data/gone.csv", "data/moved.csv"):
            (place / left).unlink(missing_ok=True)
        shutil.rmtree(place / "data" / "cache", ignore_errors=True)
    events = [event for _, event, _ in DEEDS if event]
    assert [name for name, *_ in forbidden if name in events] == events == list(dict.fromkeys(name for name, *_ in forbidden))[:3]
    assert {str(place / path) for _, _, path in DEEDS if path} <= set(outside)


def test_sockets_are_blocked(place):
    (place / "jobs.json").write_text(json.dumps(["socket.create_connection(('192.0.2.1', 80))"]), encoding="utf-8")
    command = [sys.executable, "-c", WATCHER, str(place / "jobs.json"), str(place / "seen.json")]
    done = subprocess.run(command, cwd=place / "data", env=environment(place), capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 1 and "a socket was made" in done.stderr


# --- what the system saw, the C core and the libraries included --------------------------------------------------------

CALL = re.compile(r'(?:^\d+\s+)?(\w+)\((?:AT_FDCWD, )?"((?:[^"\\]|\\.)*)"(.*)')
CALLS = (
    "open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,truncate,socket,connect,execve"
)


def traced(place, words):
    """Lines of strace for a run of the command; skips where processes may not be traced, or run in an emulator."""
    strace, log = shutil.which("strace"), place / "strace.log"
    nothing = [strace, "-f", "-qq", "-e", "trace=execve", "-o", str(log), sys.executable, "-c", ""]
    if strace is None or subprocess.run(nothing, capture_output=True, check=False).returncode:
        pytest.skip("strace is not here, or not allowed")
    if log.read_text(encoding="utf-8").count(" = 0") > 1:
        pytest.skip("another program runs Python (an emulator), and its calls would be seen")
    command = [strace, "-f", "-qq", "-s", "4096", "-e", f"trace={CALLS}", "-o", str(log), *words]
    done = subprocess.run(command, cwd=place / "data", env=environment(place), capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return log.read_text(encoding="utf-8", errors="replace").splitlines()


def written_and_called(lines, place):
    """Files that were opened for writing or changed, and calls that open sockets or start programs."""
    calls = [match for match in map(CALL.match, lines) if match and " = -1 " not in match[3]]
    writing = [
        m[2]
        for m in calls
        if m[1] not in ("execve", "connect") and (not m[1].startswith("open") or re.search(r"O_(WRONLY|RDWR|CREAT)", m[3]))
    ]
    sockets = [line for line in lines if re.match(r"(\d+\s+)?(socket|connect)\(", line)]
    started = [m[2] for m in calls if m[1] == "execve" and Path(m[2]).name != ASKED_BY_NUMPY[1]][1:]
    return [os.path.join(place / "data", path) for path in writing], sockets, started


@pytest.mark.slow
def test_the_system_sees_the_same(place):
    words = ["evaluate", "--annotations", "labels.csv", "--predictions", "A.csv", "B.csv", "--out", "out/traced", *RESAMPLES]
    written, sockets, started = written_and_called(traced(place, [sys.executable, "-m", "ugt", *words]), place)
    assert any("out/traced" in path for path in written)
    assert (strangers(written, place), sockets, started) == ([], [], [])


def test_the_trace_sees_what_must_not_be(place):
    deed = "import _socket, os, subprocess; _socket.socket(); open('../stray', 'w'); subprocess.run(['true'])"
    written, sockets, started = written_and_called(traced(place, [sys.executable, "-c", deed]), place)
    (place / "stray").unlink()
    assert strangers(written, place) == [str(place / "stray")]
    assert len(sockets) == 1 and [Path(path).name for path in started] == ["true"]
