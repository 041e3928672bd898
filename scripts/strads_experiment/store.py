"""The folder of an experiment: whose turn it is, which points are done, and why one is not. A point's record is written when its
run has ended; a run without one is done again, so that whatever is killed when, nothing half is taken for whole.

    runs/NAME/          the run, as its program wrote it
    points/NAME.json    the record: the key in words, how the run ended, the hash of its summary
    data.json           hashes of data files that look as they did
    table.csv, means.csv, report/
"""
import dataclasses
import fcntl
import json
import os
import pathlib
import shutil

from strads_report.command import write
from strads_report.runs import FILES, USAGE, Failure

from strads_experiment.programs import Digests, digest_of, differences

BEGUN, DONE, FAILED, REMAINING = "begun", "done", "failed", "remaining"
SUMMARY, CHECKPOINT = "summary.json", ".checkpoint"
LIVES = (".lock", "runs", "points", "data.json")  # by which a folder is known as that of an experiment


@dataclasses.dataclass
class Standing:
    """Where a point stands. `why`: what has changed since it was done, or how it failed; `summary`: of one that is done."""
    state: str
    why: list
    record: dict
    summary: dict = None


class Store:
    """The folder. Whoever changes it holds its lock."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.digests = Digests(self.folder / "data.json")
        self.lock_file = None

    def lock(self):
        """For the life of this process. A folder that holds something else is refused."""
        if self.folder.is_dir() and any(self.folder.iterdir()) and not any((self.folder / name).exists() for name in LIVES):
            raise Failure(USAGE, f"{self.folder}: it holds files, and no experiment; give another --out")
        for name in ("runs", "points"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.lock_file = open(self.folder / ".lock", "a+", encoding="ascii")  # pylint: disable=consider-using-with
        try:
            fcntl.flock(self.lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock_file.seek(0)
            who = self.lock_file.read().strip()
            raise Failure(USAGE, f"{self.folder}: another experiment is under way there{f' (process {who})' if who else ''}; wait for "
                                 "it, or give another --out") from None
        self.lock_file.truncate(0)
        self.lock_file.write(str(os.getpid()))
        self.lock_file.flush()

    def run_folder(self, point):
        return self.folder / "runs" / point.name

    def record_path(self, point):
        return self.folder / "points" / f"{point.name}.json"

    def record(self, point):
        try:
            found = json.loads(self.record_path(point).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) and isinstance(found.get("key"), dict) else {}
        except (OSError, ValueError):
            return {}  # it is not there, or the power failed: the run is done again

    def note(self, point, key, state, **more):
        record = {"point": point.name, "state": state, "key": key, **more}
        if state == DONE:
            record["summary"] = digest_of(self.run_folder(point) / SUMMARY)
        write(self.record_path(point), (json.dumps(record, indent=1) + "\n").encode())

    def standing(self, point, key):
        record = self.record(point)
        if not record:
            return Standing(REMAINING, [], {})
        changed = differences(record["key"], key)
        if changed:
            return Standing(REMAINING, changed, record)
        if record.get("state") == FAILED:
            return Standing(FAILED, [record.get("message", "")], record)
        if record.get("state") != DONE:
            return Standing(REMAINING, ["it was cut off"], record)
        path = self.run_folder(point) / SUMMARY
        try:
            content = path.read_text(encoding="utf-8")
            if digest_of(path) != record.get("summary"):
                return Standing(REMAINING, ["its results were replaced by those of another run"], record)
            return Standing(DONE, [], record, json.loads(content))
        except FileNotFoundError:
            return Standing(REMAINING, ["its results are gone"], record)
        except ValueError as error:
            raise Failure(FILES, f"{path}: not JSON ({error}); remove {path.parent}, and the point is run again") from None

    def can_go_on(self, point, key):
        """It was cut off as it is now, and has left a checkpoint."""
        record = self.record(point)
        written = (self.run_folder(point) / CHECKPOINT).glob("checkpoint-*.bin")
        return record.get("state") == BEGUN and not differences(record["key"], key) and any(written)

    def strays(self, points):
        """Runs of points that the grid does not have."""
        names = {point.name for point in points}
        return sorted(path.name for path in (self.folder / "runs").glob("*") if path.name not in names)

    def forget(self, point):
        """What a run left that a signal ended: its files, and no others. A checkpoint stays: the run goes on from there."""
        folder = self.run_folder(point)
        try:
            names = json.loads((folder / SUMMARY).read_text(encoding="utf-8")).get("files", [])
        except (OSError, ValueError):
            names = []
        for name in {*names, SUMMARY, "log.txt"}:
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / ".unfinished", ignore_errors=True)
        for inner in sorted((folder / name for name in {os.path.dirname(name) for name in names} if name), reverse=True):
            _remove_empty(inner)
        _remove_empty(folder)


def _remove_empty(folder):
    try:
        folder.rmdir()
    except OSError:
        pass  # something else is in it, or it is not there
