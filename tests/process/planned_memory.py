#!/usr/bin/env python3
"""What --dry-run says of memory is what each process of the run then holds: every kind of data, of model and of run.

usage: planned_memory.py BIN_DIR [SOURCE_DIR] [--table] [KIND ...]

Held is the most anonymous memory (resident less shared of /proc/PID/statm, looked at every millisecond) of each process. Planned and
held may differ by a factor of 1.15, and by a MiB and a half for what processes differ by. So sets are made that let what
the data take stand out: what data decide (how many coefficients are not zero) is a guess of a few MiB, and kept small by
lambdas at which the two signals of these data are found and no more. Ratings are 1.5 million, some 15 MB by user and by item
beside factors of 5 MB a copy, of which there are a few: both parts of the plan show. --table prints the rows of bench/RESULTS.md.
"""
import array
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

FACTOR, PROCESS = 1.15, 1.5  # MiB
# A node of mf may still hold its last report of all factors (5 MiB) when it makes the next one, the busier the machine the
# oftener: seen 36 to 49 MiB of the same run.
PROCESS_OF_A_NODE = 5.0
TRIES = 2  # on a machine so busy that nodes are late; those may hold more than is planned
# A look every millisecond may miss a short peak where others keep the looker from looking: then the run is looked at again, and
# the most that was seen counts. Nothing that was not held is ever seen.
LOOKS = 4
MIB = 1 << 20


# --- data, made by code ---

def bits(seed, count):
    """`count` random bytes as one number."""
    return random.Random(seed).getrandbits(8 * count)


def repeated(pattern, count):
    return int.from_bytes(pattern * (count // len(pattern)), "little")


def singles(seed, count):
    """Floats between 1 and 2, as bytes: random fractions under one exponent."""
    fraction = bits(seed, 4 * count) & repeated(b"\xff\xff\x7f\x00", 4 * count)
    return (fraction | repeated(b"\x00\x00\x80\x3f", 4 * count)).to_bytes(4 * count, "little")


def doubles(seed, count):
    fraction = bits(seed, 8 * count) & repeated(b"\xff" * 6 + b"\x0f\x00", 8 * count)
    return (fraction | repeated(b"\x00" * 6 + b"\xf0\x3f", 8 * count)).to_bytes(8 * count, "little")


def npy(kind, shape, data, fortran=False):
    text = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


def noisy(seed, values):
    noise = random.Random(seed)
    return [value + 0.3 * noise.random() for value in values]


class Folder:
    """Where data are made, each once."""

    def __init__(self, path):
        self.path = path

    def __call__(self, name):
        return os.path.join(self.path, name)

    def has(self, name):
        return os.path.exists(self(name))

    def write(self, name, data):
        with open(self(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self(name)

    def numbers(self, name, *columns):
        """A table of responses: y, z ..."""
        names = ["y", "z", "w"][:len(columns)]
        rows = [",".join(names)] + [",".join(f"{value:.6g}" for value in row) for row in zip(*columns)]
        return self.write(name, "\n".join(rows) + "\n")

    # Each returns the options that name the data.

    def dense(self, kind="<f4", rows=1000, columns=15_000):
        """Row by row, so that it is copied: 60 MB of floats."""
        name = f"dense{kind[1:]}{rows}.npy"
        if not self.has(name):
            one = array.array("f" if kind == "<f4" else "d")
            one.frombytes((singles if kind == "<f4" else doubles)(1, rows * columns))
            self.write(name, npy(kind, (rows, columns), one.tobytes()))
            first = [3 * one[i * columns] + one[i * columns + 1] for i in range(rows)]
            second = [2 * one[i * columns + 2] - one[i * columns + 3] for i in range(rows)]
            self.numbers(name + ".y", noisy(2, first), noisy(3, second))
            middle = sorted(first)[rows // 2]
            self.numbers(name + ".class", [float(value > middle) for value in noisy(4, first)])
        return ["--x", self(name), "--y", self(name + ".y")]

    def bytes(self, rows=100, columns=600_000):
        """A byte an entry, column by column: mapped. What is held are numbers for each column."""
        if not self.has("bytes.npy"):
            data = bits(5, rows * columns).to_bytes(rows * columns, "little")
            self.write("bytes.npy", npy("|i1", (rows, columns), data, fortran=True))
            signed = array.array("b", data[:2 * rows])
            self.numbers("bytes.npy.y", noisy(6, [0.01 * (3 * signed[i] + signed[rows + i]) for i in range(rows)]))
        return ["--x", self("bytes.npy"), "--y", self("bytes.npy.y")]

    def sparse(self, kind="<f4", rows=3000, step=20, columns=16_000):
        """A twentieth of the entries, 2.4 million: 19 MB in columns, more while they are read."""
        name = f"sparse{kind[1:]}.npz"
        if not self.has(name):
            indices, starts, y = array.array("i"), array.array("i", [0]), []
            for i in range(rows):
                begin = (7 * i + i // step) % step
                indices.extend(range(begin, columns, step))
                starts.append(len(indices))
                y.append(3.0 * (begin == 0) + (begin == 1))
            values = (singles if kind == "<f4" else doubles)(7, len(indices))
            count = len(indices)
            with zipfile.ZipFile(self(name), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr("format.npy", npy("|S3", (), b"csr"))
                archive.writestr("shape.npy", npy("<i8", (2,), array.array("q", [rows, columns]).tobytes()))
                archive.writestr("data.npy", npy(kind, (count,), values))
                archive.writestr("indices.npy", npy("<i4", (count,), indices.tobytes()))
                archive.writestr("indptr.npy", npy("<i4", (rows + 1,), starts.tobytes()))
            self.numbers(name + ".y", noisy(8, y))
        return ["--x", self(name), "--y", self(name + ".y")]

    def libsvm(self, rows=3000, step=20, columns=16_000):
        if not self.has("x.svm"):
            values = [" ".join(f"{j + 1}:{(j * 7 + b) % 9 + 1}" for j in range(b, columns, step)) for b in range(step)]
            y = noisy(9, [3.0 * (i % step == 0) + (i % step == 1) for i in range(rows)])
            self.write("x.svm", "".join(f"{y[i]:.6g} {values[i % step]}\n" for i in range(rows)))
        return ["--x", self("x.svm")]

    def market(self, rows=3000, step=20, columns=16_000):
        if not self.has("x.mtx"):
            lines = ["%%MatrixMarket matrix coordinate real general", f"{rows} {columns} {rows * columns // step}"]
            y = []
            for i in range(rows):
                begin = i % step
                lines.extend(f"{i + 1} {j + 1} {(j * 7 + i) % 9 + 1}" for j in range(begin, columns, step))
                y.append(3.0 * (begin == 0) + (begin == 1))
            self.write("x.mtx", "\n".join(lines) + "\n")
            self.numbers("x.mtx.y", noisy(10, y))
        return ["--x", self("x.mtx"), "--y", self("x.mtx.y")]

    def table(self, rows=1000, columns=7000):
        """Numbers of one digit: 14 MB of text, 56 MB of doubles."""
        if not self.has("x.csv"):
            digits = bits(11, rows * columns).to_bytes(rows * columns, "little")
            digits = digits.translate(bytes(ord("0") + b % 10 for b in range(256)))
            text = bytearray(b"0," * (rows * columns))
            text[0::2] = digits
            text[2 * columns - 1::2 * columns] = b"\n" * rows
            header = ",".join(f"v{j}" for j in range(columns)) + "\n"
            self.write("x.csv", header.encode() + bytes(text))
            self.numbers("x.csv.y", noisy(12, [3.0 * digits[i * columns] + digits[i * columns + 1] - 140
                                               for i in range(rows)]))
        return ["--x", self("x.csv"), "--y", self("x.csv.y")]

    def genotypes(self, name="g", samples=100, variants=400_000):
        """Few people, many variants: what is held are numbers for each variant. .bed, and .pgen of its second mode."""
        if not self.has(name + ".bed"):
            count = samples // 4 * variants
            mask = repeated(b"\x55", count)
            low, high = bits(13, count) & mask, bits(14, count) & mask
            calls = (low & high) | high << 1  # 00, 10 or 11: A1 twice, once, not at all
            bed = calls.to_bytes(count, "little")
            self.write(name + ".bed", b"\x6c\x1b\x01" + bed)
            copies = [[(bed[j * samples // 4 + i // 4] >> 2 * (i % 4) & 3) for i in range(samples)] for j in (0, 1)]
            y = noisy(15, [3.0 * a + b for a, b in zip(*copies)])
            split = ["train", "train", "val"]
            self.write(name + ".fam", "".join(f"f i{i} 0 0 1 {y[i]:.6g}\n" for i in range(samples)))
            self.write(name + ".split", "IID part\n" + "".join(f"i{i} {split[i % 3]}\n" for i in range(samples)))
            places = range(1, variants + 1)
            self.write(name + ".bim", "".join(f"1\trs{k}\t0\t{k}\tA\tG\n" for k in places))
            self.write(name + ".pvar", "#CHROM\tPOS\tID\tREF\tALT\n" + "".join(f"1\t{k}\trs{k}\tG\tA\n" for k in places))
            self.write(name + ".psam", "#IID\ty\n" + "".join(f"i{i}\t{y[i]:.6g}\n" for i in range(samples)))
            head = b"\x6c\x1b\x02" + variants.to_bytes(4, "little") + samples.to_bytes(4, "little") + b"\x40"
            self.write(name + ".pgen", head + (high & (low ^ mask) | (high ^ mask) << 1).to_bytes(count, "little"))
        return ["--bfile", self(name)]

    def pgen(self):
        self.genotypes()
        return ["--pfile", self("g"), "--pheno-name", "y"]

    def ratings(self, users=40_000, items=4_000, count=1_500_000):
        """1.5 million with 5 different values."""
        if not self.has("ratings.tsv"):
            draw = random.Random(16)
            lines = []
            for k in range(count):
                user, item = int(users * draw.random() ** 1.5), int(items * draw.random() ** 2)
                lines.append(f"{user}\t{item}\t{1 + (user + item + k % 2) % 5}\n")
            self.write("ratings.tsv", "".join(lines))
        return ["--ratings", self("ratings.tsv")]

    def ratings_in_another_order(self):
        """The same, the rating first: the lines are written anew in memory."""
        if not self.has("first.tsv"):
            self.ratings()
            lines = ["rating\tuser\titem\n"]
            with open(self("ratings.tsv"), encoding="ascii") as file:
                for line in file:
                    user, item, rating = line.split()
                    lines.append(f"{rating}\t{user}\t{item}\n")
            self.write("first.tsv", "".join(lines))
        return ["--ratings", self("first.tsv")]

    def ratings_with_holes(self, rows=2_000_000, columns=500_000, count=1_000_000):
        """A matrix of which 30,000 rows and 5,000 columns have ratings."""
        if not self.has("holes.npz"):
            draw = random.Random(17)
            users = array.array("i", sorted(66 * int(30_000 * draw.random()) for _ in range(count)))
            items = array.array("i", (99 * int(5_000 * draw.random()) for _ in range(count)))
            with zipfile.ZipFile(self("holes.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr("format.npy", npy("|S3", (), b"coo"))
                archive.writestr("shape.npy", npy("<i8", (2,), array.array("q", [rows, columns]).tobytes()))
                archive.writestr("data.npy", npy("<f4", (count,), singles(18, count)))
                archive.writestr("row.npy", npy("<i4", (count,), users.tobytes()))
                archive.writestr("col.npy", npy("<i4", (count,), items.tobytes()))
        return ["--ratings", self("holes.npz")]


# --- kinds ---

FEW = ["--lambda-ratio", "0.6"]
PATH = ["--lambdas", "10", "--lambda-min-ratio", "0.6"]
ONE = ["--threads", "1"]
RIDGE = ["--l1-ratio", "0", "--lambdas", "8", "--lambda-min-ratio", "0.1", "--tolerance", "1e-3"]
FIT = ["--sweeps", "4", "--lambda", "0.1"]
GRID = ["--ranks", "8,16", "--lambdas", "0.05,0.1", "--sweeps", "3"]
KINDS = {
    "fit, dense f32": lambda f: ["lasso", "fit", *f.dense(), *FEW, *ONE],
    "fit, dense f64": lambda f: ["lasso", "fit", *f.dense("<f8", 1000, 7000), *FEW, *ONE],
    "fit, table": lambda f: ["lasso", "fit", *f.table(), *FEW, *ONE],
    "fit, npz f32": lambda f: ["lasso", "fit", *f.sparse(), *FEW, *ONE],
    "fit, npz f64": lambda f: ["lasso", "fit", *f.sparse("<f8"), *FEW, *ONE],
    "fit, libsvm": lambda f: ["lasso", "fit", *f.libsvm(), *FEW, *ONE],
    "fit, Matrix Market": lambda f: ["lasso", "fit", *f.market(), *FEW, *ONE],
    "fit, bytes": lambda f: ["lasso", "fit", *f.bytes(), *FEW, *ONE],
    "fit, .bed": lambda f: ["lasso", "fit", *f.genotypes(), *FEW, *ONE],
    "fit, .pgen": lambda f: ["lasso", "fit", *f.pgen(), *FEW, *ONE],
    "fit, two classes": lambda f: ["lasso", "fit", *f.dense()[:2], "--y", f("densef41000.npy.class"), "--family", "binomial",
                                   *FEW, *ONE],
    "path": lambda f: ["lasso", "path", *f.dense(), *PATH, *ONE],
    "path, ridge": lambda f: ["lasso", "path", *f.dense("<f8", 50, 60_000), *RIDGE, *ONE],
    "cv, ridge": lambda f: ["lasso", "cv", *f.dense("<f8", 50, 60_000), *RIDGE, "--folds", "3", *ONE],
    "path, two classes": lambda f: ["lasso", "path", *f.dense()[:2], "--y", f("densef41000.npy.class"), "--family", "binomial",
                                    *PATH, *ONE],
    "path, two traits, two ratios": lambda f: ["lasso", "path", *f.dense(), "--y-name", "y,z", "--l1-ratio", "1,0.5", *PATH,
                                               "--threads", "2"],
    "path --split": lambda f: ["lasso", "path", *f.genotypes(), "--split", f("g.split"), *PATH, *ONE],
    "cv": lambda f: ["lasso", "cv", *f.dense(), *PATH, "--folds", "3", *ONE],
    "cv, 2 threads": lambda f: ["lasso", "cv", *f.dense(), *PATH, "--folds", "3", "--threads", "2"],
    "cv, two traits": lambda f: ["lasso", "cv", *f.dense(), "--y-name", "y,z", *PATH, "--folds", "3", *ONE],
    "cv, .bed": lambda f: ["lasso", "cv", *f.genotypes(), *PATH, "--folds", "3", *ONE],
    "fit, .bed, 2 processes": lambda f: ["lasso", "fit", *f.genotypes(), *FEW, "--processes", "2"],
    "fit, npz, 2 processes": lambda f: ["lasso", "fit", *f.sparse(), *FEW, "--processes", "2"],
    "path, dense, 2 processes": lambda f: ["lasso", "path", *f.dense(), *PATH, "--processes", "2"],
    "cv, .bed, 2 processes": lambda f: ["lasso", "cv", *f.genotypes(), *PATH, "--folds", "3", "--processes", "2"],
    "mf fit, sgd": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--solver", "sgd", "--rank", "16", *ONE],
    "mf fit, sgd, 32 workers": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--solver", "sgd", "--rank", "32",
                                          "--workers", "32", *ONE],
    "mf fit, cd": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--solver", "cd", "--rank", "16", *ONE],
    "mf fit, als": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--solver", "als", "--rank", "16", *ONE],
    "mf fit, implicit, als": lambda f: ["mf", "fit", *f.ratings(), "--sweeps", "2", "--tolerance", "0", "--feedback", "implicit", "--rank",
                                       "32", *ONE],
    "mf fit, implicit, cd": lambda f: ["mf", "fit", *f.ratings(), "--sweeps", "2", "--tolerance", "0", "--feedback", "implicit", "--rank",
                                      "64", "--solver", "cd", *ONE],
    "mf fit, ccd": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--solver", "ccd", "--rank", "8", *ONE],
    "mf fit, columns in another order": lambda f: ["mf", "fit", *f.ratings_in_another_order(), *FIT, "--solver", "cd", "--rank", "2",
                                                   *ONE],
    "mf fit, npz with empty rows": lambda f: ["mf", "fit", *f.ratings_with_holes(), *FIT, "--rank", "16", *ONE],
    "mf fit, sgd, a node": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--rank", "16", "--processes", "1"],
    "mf fit, cd, a node": lambda f: ["mf", "fit", *f.ratings(), *FIT, "--solver", "cd", "--rank", "16", "--processes", "1"],
    "mf cv": lambda f: ["mf", "cv", *f.ratings(), *GRID, "--solver", "cd", "--folds", "5", *ONE],
    "mf cv, 2 threads": lambda f: ["mf", "cv", *f.ratings(), *GRID, "--solver", "cd", "--folds", "3", "--threads", "2"],
    "mf cv, sgd, 2 threads": lambda f: ["mf", "cv", *f.ratings(), *GRID, "--folds", "3", "--threads", "2"],
    "mf cv, sgd": lambda f: ["mf", "cv", *f.ratings(), *GRID, "--folds", "3", "--solver", "sgd", *ONE],
}


# --- planned and held ---

def planned(command):
    """MiB by kind of process: {"nodes": of all of them, "driver": ...}, or {"this process": ...}."""
    done = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit code {done.returncode}: {done.stderr}")
    out, who, count = {}, "", 1
    for line in done.stdout.splitlines():
        head = re.match(r"^  (?! )(?:(\d+) x )?(.*?) +mapped +anonymous$", line)
        if head:
            count, who = int(head[1] or 1), "nodes" if head[2].startswith("node") else head[2]
        most = re.match(r"^    at the most  .* ([\d.]+) MiB$", line)
        if most:
            out[who] = out.get(who, 0) + count * float(most[1])
    return out, done.stdout


class Looked:
    """One process: /proc/PID/statm stays open and is read again, which takes a twentieth of reading status anew, so that
    more peaks are seen and less is taken from what is looked at."""

    PAGE = os.sysconf("SC_PAGE_SIZE") / MIB

    def __init__(self, pid):
        self.most = 0.0
        try:
            self.file = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
        except OSError:
            self.file = None

    def look(self):
        """Keeps the most anonymous memory, in MiB; false where the process has ended."""
        try:
            words = os.pread(self.file, 200, 0).split() if self.file is not None else []
        except OSError:
            words = []
        if not words or int(words[0]) == 0:  # of what has ended all are 0
            return False
        self.most = max(self.most, (int(words[1]) - int(words[2])) * self.PAGE)  # resident, and not of files: RssAnon
        return True

    def close(self):
        if self.file is not None:
            os.close(self.file)


def children(pid):
    out = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                out += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return out


def held(command, out):
    """As planned(), and how often a node was asked for a block of another one that was late: it may have to read data
    for that, and hold them besides its own."""
    nodes, looks = {}, 0
    with subprocess.Popen([*command, "--quiet", "--force", "--out", out], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        wants_nodes = "--processes" in command
        own = Looked(process.pid)
        while own.look():
            looks += 1
            if wants_nodes and looks % 10 == 1:
                for pid in children(process.pid):
                    nodes.setdefault(pid, Looked(pid))
            for node in nodes.values():
                node.look()
            time.sleep(0.001)
        errors = process.stderr.read().decode()
    for one in (own, *nodes.values()):
        one.close()
    if process.returncode not in (0, 3):
        raise SystemExit(f"{command}: exit code {process.returncode}: {errors}")
    if not wants_nodes:
        return {"this process": own.most}, 0
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        late = sum(int(word) for word in re.findall(r'"second_workers": (\d+)', file.read()))
    return {"nodes": sum(node.most for node in nodes.values()), "driver": own.most}, late


def judged(name, bin_dir, folder, making):
    """One kind: rows of the table, and those of them that are wrong with what --dry-run said. `making`: who makes data."""
    with making:
        words = KINDS[name](folder)
    command = [os.path.join(bin_dir, words[0]), *words[1:]]
    begin = time.monotonic()
    plan, text = planned(command)
    process = PROCESS_OF_A_NODE if "a node" in name else PROCESS
    took = {}
    with tempfile.TemporaryDirectory() as out:
        for _ in range(LOOKS):
            for _ in range(TRIES):
                seen, late = held(command, os.path.join(out, "run"))
                if late == 0:
                    break
            if "a node" in name:  # planned for the driver are also gathered reports, which a short run may not have at once
                seen = {"nodes": seen["nodes"]}
            took = {who: max(most, took.get(who, 0.0)) for who, most in seen.items()}
            if all(plan[who] <= FACTOR * most + process for who, most in took.items()):
                break
    rows, wrong = [], []
    for who, most in took.items():
        row = f"| {name} | {who} | {plan[who]:.1f} | {most:.1f} | {plan[who] / most:.2f} |"
        good = plan[who] <= FACTOR * most + process and (late > 0 or plan[who] >= most / FACTOR - process)
        rows.append(row + ("" if good else "  <--") + f"  {time.monotonic() - begin:.1f} s")
        if not good:
            wrong.append(row + "\n" + text)
    return rows, wrong


def main():
    arguments = sys.argv[1:]
    as_table = "--table" in arguments
    arguments = [word for word in arguments if word != "--table"]
    bin_dir = arguments[0]
    chosen = [word for word in arguments[1:] if not os.path.isdir(word)]
    names = [name for name in KINDS if not chosen or any(word in name for word in chosen)]
    with tempfile.TemporaryDirectory() as path, concurrent.futures.ThreadPoolExecutor(2) as two:
        folder, making = Folder(os.environ.get("PLANNED_MEMORY_DATA", path)), threading.Lock()
        # A run of one thread is looked at beside another one. One of two threads or processes would make its own parts wait.
        alone = [name for name in names if re.search(r"2 threads|2 processes|two ratios|a node", name)]
        beside = two.map(lambda name: judged(name, bin_dir, folder, making), [name for name in names if name not in alone])
        found = [*beside, *(judged(name, bin_dir, folder, making) for name in alone)]
    if as_table:
        print("\n".join(row for rows, _ in found for row in rows))
    wrong = [one for _, some in found for one in some]
    if wrong:
        raise SystemExit("planned and held differ by more than a factor of 1.15:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
