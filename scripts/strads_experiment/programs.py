"""What the programs themselves say of a point: which options they have, which are in effect, of which build they are; and what
its data files hold. Together this is the key of a run: what it is a function of."""
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

from strads_report.command import write
from strads_report.runs import FILES, USAGE, Failure

from strads_experiment.plan import REPEAT

FLAG = "flag"
SECONDS_MAX = 60  # for a program to say what it has
# A line of --help-all: the option, and what its value is called.
OPTION = re.compile(r"^  --([a-z0-9][a-z0-9-]*)(?:\[=(\S+?)\]| (\S+))?(?= |$)", re.MULTILINE)
EFFECTIVE = re.compile(r"^([a-z0-9][a-z0-9-]*) = (.*)$", re.MULTILINE)
FILE, FILES_OF, PREFIX, FOLDER = "FILE", "FILE,...", "PREFIX", "DIR"
ENDINGS = ("bed", "bim", "fam", "pgen", "pvar", "psam", "bim.gz", "bim.zst", "pvar.gz", "pvar.zst")  # of a PREFIX
NO_DATA = ("key", "scratch", "stradsd", "trace-rounds", "endpoint-file")  # of what name files: they decide no result
BLOCK = 1 << 20
FRESH_SECONDS = 2  # a file changed less than that before it was read may change again and look as it was
MISSING = "missing"


def find_programs(given, here, name):
    """The folder of the program `name`: given, beside this program where it is installed, of the source tree's build, or on
    PATH."""
    if given:
        return pathlib.Path(given)
    places = (here, here.parent / "build/release/bin")
    found = next((folder / name for folder in places if (folder / name).is_file()), None) or shutil.which(name)
    if not found:
        raise Failure(FILES, f"the program {name} is not beside this one, in {places[1]} or on PATH; build it, or say where it is with "
                             "--bin DIR")
    return pathlib.Path(found).parent


def digest_of(path):
    content = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            content.update(block)
    return content.hexdigest()[:16]


class Digests:
    """SHA-256 of files, the first 16 digits. Those of files that look as they did are kept from one experiment to the next."""

    def __init__(self, path):
        self.path, self.kept, self.new = path, {}, False
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            self.kept = kept if isinstance(kept, dict) else {}
        except (OSError, ValueError):
            pass

    def of(self, name):
        """MISSING where there is no file: what becomes of that, the program says."""
        try:
            facts = os.stat(name)
            look = [facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns]
            known = self.kept.get(os.path.abspath(name))
            if isinstance(known, list) and known[:4] == look:
                return known[4]
            digest = digest_of(name)
        except OSError:
            return MISSING
        if time.time_ns() - facts.st_mtime_ns > FRESH_SECONDS * 1e9:
            self.kept[os.path.abspath(name)], self.new = [*look, digest], True
        return digest

    def keep(self):
        if self.new:
            write(self.path, (json.dumps(self.kept, indent=1) + "\n").encode())


class Program:
    """One command of one program."""

    def __init__(self, folder, command):
        self.path, self.command = folder / command[0], tuple(command)
        if not os.access(self.path, os.X_OK):
            raise Failure(FILES, f"{self.path}: no such program; build it, or say where it is with --bin DIR")
        self.known = {}

    def ask(self, words):
        try:
            return subprocess.run([str(self.path), *self.command[1:], *words], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, errors="replace", check=False, timeout=SECONDS_MAX)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(FILES, f"{self.path}: cannot be asked what it has: {error}") from None

    def learn_options(self, turns):
        """`turns`: an option and a value that give the command other options, or nothing."""
        done = self.ask([*turns, "--help-all"])
        found = {name: implied or value or FLAG for name, implied, value in OPTION.findall(done.stdout)}
        if done.returncode != 0 or "print-config" not in found:
            said = done.stderr.strip().splitlines()
            raise Failure(USAGE, f"command = {' '.join(self.command)}: {said[-1] if said else 'it has no --print-config'}; expected "
                                 "a command that makes a run, as lasso fit, path and cv, mf fit and cv, svm fit, lda fit")
        self.known = found

    def build(self):
        """Who computes, in words: version, build and kernels."""
        said = subprocess.run([str(self.path), "--version", "--verbose"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False, timeout=SECONDS_MAX).stdout
        kernels = re.search(r"^kernels +(.*)$", said, re.MULTILINE)
        return {"build": said.partition("\n")[0], "kernels": kernels[1].strip() if kernels else ""}

    def words(self, options):
        """Of a command line. Options: {name: Given}."""
        words = []
        for name, given in options.items():
            if self.known[name] == FLAG:
                if given.value not in ("on", "off"):
                    raise Failure(USAGE, f"{given.where}: {name} = {given.value}, expected on or off")
                words += [f"--{name}"] if given.value == "on" else []
            else:
                words.append(f"--{name}={given.value}")
        return words

    def effective(self, point, out):
        """{option: value} in effect, but --out; fails where the program does not take them."""
        done = self.ask([*self.words(point.options), "--out", str(out), "--print-config"])
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            where = next((given.where for name, given in point.options.items() if re.search(rf"--{re.escape(name)}\b(?!-)", said)),
                         None)
            raise Failure(USAGE, f"{where or 'options that do not go together'}: {point.name}: {said}")
        found = dict(EFFECTIVE.findall(done.stdout))
        found.pop("out", None)
        return {**{name: given.value for name, given in point.options.items()}, **found}

    def files_of(self, name, value):
        kind = self.known.get(name, "")
        if not value or name in NO_DATA:
            return []
        if kind == FILE or (kind.endswith(f"|{FILE}") and os.path.isfile(value)):
            return [value]
        if kind == FILES_OF:
            return value.split(",")
        if kind == FOLDER:  # of an earlier run, whose summary has the hashes of its files
            return [os.path.join(value, "summary.json")]
        if kind == PREFIX:
            places = "*".join(map(glob.escape, value.split("@")))
            return sorted(path for ending in ENDINGS for path in glob.glob(f"{places}.{ending}")) or [value]
        return []

    def data(self, options, digests):
        return {path: digests.of(path) for name, value in options.items() for path in self.files_of(name, value)}


def key_of(program, build, point, out, digests):
    """What the point's run is a function of, in words."""
    options = program.effective(point, out)
    return {"command": " ".join(program.command), "options": options, "data": program.data(options, digests), **build}


def differences(old, new):
    """In words: what of a key is not as it was."""
    found = []
    if old.get("command") != new["command"]:
        found.append(f"the command was {old.get('command')}, is {new['command']}")
    for what, of in (("options", ""), ("data", "data ")):
        before, now = old.get(what, {}), new[what]
        for name in dict.fromkeys([*before, *now]):
            if before.get(name) == now.get(name):
                continue
            if what == "options":
                found.append(f"{name} was {before.get(name, 'not there')}, is {now.get(name, 'not there')}")
            else:
                found.append(f"{of}{name} {'has changed' if name in before and name in now else 'is new' if name in now else 'is gone'}")
    if old.get("build") != new["build"]:
        found.append(f"the build was {old.get('build')}, is {new['build']}")
    if old.get("kernels") != new["kernels"]:
        found.append(f"the kernels were {old.get('kernels')}, are {new['kernels']}")
    return found


def unlike(points, keys):
    """Fails where two points are the same run; `keys`: {name: key}. An axis `repeat` makes them differ."""
    seen = {}
    for point in points:
        text = json.dumps([keys[point.name]["options"], point.axes.get(REPEAT)], sort_keys=True)
        if text in seen:
            raise Failure(USAGE, f"{point.name} and {seen[text]} are the same run, since their options are the same in effect; keep one "
                                 "of them, or say repeat = 1..2 in [grid]")
        seen[text] = point.name
