"""How strads-launch ends: exit codes, and what it says on stderr and to Kubernetes."""
import contextlib
import os

USAGE, LOCAL, CLUSTER, INTERNAL = 2, 4, 5, 70  # exit codes, as lasso has them
LINE_MAX = 2000  # characters of a line from another host
TERMINATION_LOG = "/dev/termination-log"  # where Kubernetes looks for the reason of a container's end
TERMINATION_MAX = 4096  # bytes of it that are kept


class Failure(Exception):
    """Ends the launcher: exit code and what to tell."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def printable(text):
    """What came from another host, without what could do something to a terminal: escape sequences, other control and
    format characters."""
    return "".join(c if c.isprintable() else "?" for c in text)[:LINE_MAX]


def tell(text):
    """On stderr, whose reader, terminal or disk may be gone: no reason to end a run."""
    with contextlib.suppress(OSError):
        data = f"{text}\n".encode(errors="replace")
        while data:
            data = data[os.write(2, data):]


def say(text):
    tell(f"strads-launch: {text}")


def why(error):
    """What is wrong, of an OSError or of a text that is none."""
    return getattr(error, "strerror", None) or str(error)


def leave_reason(code, reason):
    """For `kubectl describe pod`. The file is there in a container of Kubernetes, and nowhere else: it is not made."""
    with contextlib.suppress(OSError):
        with open(os.open(TERMINATION_LOG, os.O_WRONLY | os.O_TRUNC), "wb") as file:
            file.write(f"exit code {code}{': ' if reason else ''}{reason}\n".encode(errors="replace")[:TERMINATION_MAX])
