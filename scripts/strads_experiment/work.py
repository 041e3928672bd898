"""Runs points, some at a time, each as a process that ends with this one. The first signal lets the runs end in order and begins no
other; a second one kills them."""
import ctypes
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time

from strads_experiment.store import BEGUN, DONE, FAILED, SUMMARY

ENDED_EARLY = 3  # exit code: results are written, the tolerance is not met
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_SECONDS = 0.2
TAIL = 2000  # letters of what a failed run said


def die_with_parent(parent):
    """In the child: SIGKILL when this program is gone. What was not noted is done again, so nothing needs an order."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


class Running:
    """A run under way."""

    def __init__(self, point, words, key):
        self.point, self.key, self.words = point, key, words
        self.said = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        self.began = time.monotonic()
        parent = os.getpid()
        # A session of its own: Ctrl-C of the terminal comes to this program, which hands it on.
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said,
                                        start_new_session=True, preexec_fn=lambda: die_with_parent(parent))
        self.handle = os.pidfd_open(self.process.pid)

    def seconds(self):
        return time.monotonic() - self.began

    def end(self):
        """(exit code, what it said last)."""
        code = self.process.wait()
        os.close(self.handle)
        self.said.seek(0)
        text = self.said.read().decode(errors="replace")[-TAIL:]
        self.said.close()
        return code, text


def message_of(code, text):
    """How a run failed: its last error, else its last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if ": error: " in line]
    how = f"exit code {code}" if code >= 0 else f"ended by signal {-code} ({signal.strsignal(-code)})"
    last = (errors or lines)[-1:]
    return f"{how}: {last[0]}" if last else how


def stop_reason(folder):
    try:
        return json.loads((folder / SUMMARY).read_text(encoding="utf-8")).get("stop_reason")
    except (OSError, ValueError):
        return None


class Worker:
    """`command_of(point, goes_on)`: words; `before(stopped)`: called before each start; `tell(point, state, text, seconds)`."""

    def __init__(self, store, jobs, command_of, before, tell):
        self.store, self.jobs, self.command_of, self.before, self.tell = store, jobs, command_of, before, tell
        self.running, self.signals = {}, []
        self.ended = 0  # points that came to an end, done or failed
        self.selector = selectors.DefaultSelector()

    def on_signal(self, number, _):
        self.signals.append(number)

    def run(self, todo):
        """todo: [(point, key)]. Returns the number of points that did not come to an end."""
        kept = {number: signal.signal(number, self.on_signal) for number in SIGNALS
                if signal.getsignal(number) != signal.SIG_IGN}
        left, asked = list(reversed(todo)), 0
        try:
            while self.running or (left and not self.signals):
                while left and not self.signals and len(self.running) < self.jobs:
                    self.before(lambda: bool(self.signals))
                    if not self.signals:
                        self.start(*left.pop())
                for handle, _ in self.selector.select(LOOK_SECONDS):
                    self.finish(handle.data)
                asked = self.pass_signals(asked)
        finally:
            for running in self.running.values():
                running.process.kill()
                running.process.wait()
            for number, handler in kept.items():
                signal.signal(number, handler)
        return len(todo) - self.ended

    def pass_signals(self, asked):
        """Each signal goes to the runs once."""
        for place in range(asked, len(self.signals)):
            for running in self.running.values():
                running.process.send_signal(signal.SIGTERM if place == 0 else signal.SIGKILL)
                running.process.send_signal(signal.SIGCONT)  # it may have been stopped
        return len(self.signals)

    def start(self, point, key):
        goes_on = self.store.can_go_on(point, key)
        self.store.note(point, key, BEGUN)
        running = Running(point, self.command_of(point, goes_on), key)
        self.running[point.name] = running
        self.selector.register(running.handle, selectors.EVENT_READ, running)

    def finish(self, running):
        self.selector.unregister(running.handle)
        del self.running[running.point.name]
        seconds = running.seconds()
        code, text = running.end()
        point, folder = running.point, self.store.run_folder(running.point)
        reason = stop_reason(folder) if code in (0, ENDED_EARLY) else None
        if self.signals and (code != 0 or reason == "signal"):
            self.store.forget(point)
            return
        self.ended += 1
        if reason is not None and reason != "signal":
            self.store.note(point, running.key, DONE, exit_code=code)
            self.tell(point, DONE, reason, seconds)
            return
        message = message_of(code, text) if reason is None else "its run was ended by a signal that did not come from here"
        self.store.note(point, running.key, FAILED, exit_code=code, message=message)
        self.tell(point, FAILED, message, seconds)
