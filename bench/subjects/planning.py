"""What --dry-run and strads_sim plan say beside what runs take, and what a check costs."""
import pathlib
import re
import subprocess
import tempfile
import time

from subjects import measure
from subjects.measure import fit, in_turns, median, seconds
from subjects.subject import NotHere, Subject


def memory(bench):
    kinds = ["fit, .bed", "mf fit, cd"] if bench.quick else []
    text = measure.script(bench, "tests/process/planned_memory.py", bench.bin, *kinds, "--table", accepted=(0, 1))
    return measure.table_of(text)


def plans(bench):
    cases = [("463 x 508,999", "ad", [])]
    if not bench.quick:
        cases = [("mice-hs, weight", "mice-hs", []), ("soynam, height", "soynam", ["--lambda-min-ratio", 0.01]), *cases,
                 ("463 x 508,999, `--family binomial`", "ad", ["--family", "binomial"]),
                 ("leukemia, `--l1-ratio 0`", "leukemia", ["--l1-ratio", 0]), ("mice-hs, `--l1-ratio 0`", "mice-hs", ["--l1-ratio", 0]),
                 ("10,000 x 20,000, split", "split", [])]
    rows = []
    for name, which, more in cases:
        try:
            options = bench.sets.regression(which)
        except NotHere:
            continue
        if "binomial" in more:
            options = [*options[:2], "--pheno", f"{options[1]}.cases.tsv", "--pheno-name", "case"]
        if which == "split":
            more = [*more, "--covar", f"{options[1]}.covar.tsv", "--split", f"{options[1]}.split.tsv", "--lambda-min-ratio", 0.001]
        text = measure.script(bench, "bench/plan.py", bench.bin, name, "path", *options, *more, "--threads", 2)
        rows.append(measure.table_of(text)[0][:-1])
    return rows


def checking(bench):
    """seconds_check beside seconds_solve, of every kind of model."""
    cases = [("lasso fit, 463 x 508,999, / 10", "lasso", ["fit", *bench.sets.regression("ad"), "--lambda-ratio", 0.1]),
             ("lasso fit, words, / 100", "lasso", ["fit", *bench.sets.regression("words"), "--lambda-ratio", 0.01]),
             ("mf fit, movielens, rank 40, cd", "mf", ["fit", "--ratings", bench.sets.ratings("movielens"), "--rank", 40, "--solver", "cd"])]
    if not bench.quick:
        for case in (("lasso path, mice-hs, 100 lambdas", "lasso", "mice-hs", ["path", "--lambdas", 100, "--lambda-min-ratio", 0.01]),
                     ("lasso fit, power law, / 100", "lasso", "powerlaw", ["fit", "--lambda-ratio", 0.01])):
            try:
                cases.append((case[0], case[1], [case[3][0], *bench.sets.regression(case[2]), *case[3][1:]]))
            except NotHere:
                pass
        x, y = bench.sets.npz("w8a")
        cases.append(("svm fit, w8a, hinge", "svm", ["fit", "--x", x, "--y", y]))
        cases.append(("lda fit, ap, 50 topics, 40 sweeps", "lda", ["fit", "--corpus", bench.sets.file("ap", "docs-terms.mtx.gz"), "--topics", 50,
                                                                 "--sweeps", 40]))
    rows = []
    for name, program, words in cases:
        found = in_turns({0: lambda p=program, w=words: fit([bench.program(p), *w, "--threads", 2])}, bench.runs)[0]
        solve, check = median(found, "seconds_solve", "seconds_check")
        rows.append([name, seconds(solve), seconds(check), f"{100 * check / solve:.1f} %"])
    return rows


UNITS = {"s": 1, "min": 60, "h": 3600, "MiB": 1, "GiB": 1024, "KiB": 1 / 1024}


def number(text, pattern):
    """A figure with its unit, in seconds or MiB; None where there is none."""
    found = re.search(pattern, text, re.M)
    return float(found[1]) * UNITS[found[2]] if found else None


def anonymous_and_processor(bench, command):
    """Summary of a run, with "held": the most of RssAnon, every 3 ms, MiB."""
    most, folder = 0.0, tempfile.TemporaryDirectory()
    with folder as out:
        process = subprocess.Popen([*measure.words_of(command), "--out", f"{out}/run", "--quiet"], stdout=subprocess.DEVNULL, cwd=measure.ROOT)
        while process.poll() is None:
            try:
                found = re.search(r"^RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(), re.M)
            except OSError:
                break
            most = max(most, int(found[1]) / 1024 if found else 0)
            time.sleep(0.003)
        if process.wait() not in (0, 3):
            raise SystemExit(f"exit status {process.returncode}: {command}")
    return {**fit(command), "held": most}


def beside(bench):
    """Jobs of each kind: what is said before, and what they took. Of the plan the row of the nonzeros that came."""
    sets, own = bench.sets, bench.sets.own
    own.mkdir(parents=True, exist_ok=True)
    chr2, trait = sets.folder("1000g-chr2-eur"), "sim20"
    genotypes = ["--bfile", chr2 / "chr2-eur"]
    lines = [line.split("\t") for line in (chr2 / "pheno.tsv").read_text().splitlines()]
    at = lines[0].index(trait)
    middle = sorted(float(line[at]) for line in lines[1:])[len(lines) // 2]
    cases = own / "chr2-eur.cases.tsv"
    cases.write_text("FID\tIID\tcase\n" + "".join(f"{line[0]}\t{line[1]}\t{int(float(line[at]) > middle)}\n" for line in lines[1:]))
    traits = [*genotypes, "--pheno", chr2 / "pheno.tsv", "--pheno-name", trait]
    study = sets.folder("made-study")
    ratings, rank, sweeps = ["--ratings", sets.ratings("movielens")], ["--rank", 40], ["--sweeps", 20, "--tolerance", 0, "--patience", 20]
    large = sets.regression("middle")
    people, variants = (len(pathlib.Path(f"{large[1]}.{end}").read_text().splitlines()) for end in ("fam", "bim"))
    shape = "{users},{items},{ratings}"
    jobs = [(f"lasso fit, {people:,} x {variants:,}, / 10", "lasso", ["fit", *large, "--lambda-ratio", 0.1],
             ["--data-shape", f"{people},{variants}", "--storage", "genotypes", "--lambda-ratio", 0.1, "--nonzeros", "{nonzeros}"]),
            ("lasso fit, 503 x 10,025, / 50", "lasso", ["fit", *traits, "--lambda-ratio", 0.02],
             ["--data-shape", "503,10025", "--storage", "genotypes", "--lambda-ratio", 0.02, "--nonzeros", "{nonzeros}"]),
            ("lasso path, 503 x 10,025", "lasso", ["path", *traits], None),
            ("lasso path, two classes, 503 x 10,025", "lasso", ["path", *genotypes, "--pheno", cases, "--pheno-name", "case", "--family", "binomial"], None),
            ("lasso path --sumstats, made study", "lasso", ["path", "--sumstats", study / "study.tsv.gz", *genotypes, "--ld-blocks", study / "blocks.bed"], None)]
    jobs += [(f"mf fit, movielens, {name}", "mf", ["fit", *ratings, *rank, *own_options, *sweeps],
              ["mf", "--data-shape", shape, *rank, *planned, "--sweeps", "{sweeps}", "--workers", 8])
             for name, own_options, planned in (("sgd", ["--solver", "sgd"], ["--solver", "sgd"]), ("als", ["--solver", "als"], ["--solver", "als"]),
                                                ("implicit", ["--solver", "als", "--feedback", "implicit", "--positive-from", 4],
                                                 ["--solver", "als", "--feedback", "implicit"]))]
    return [row_beside(bench, *job) for job in jobs]


def row_beside(bench, name, program, words, planned):
    command = [bench.program(program), *words, "--threads", 1]
    dry = measure.run([*command, "--dry-run"])
    took = anonymous_and_processor(bench, command)
    before = [number(dry, r"^time +about ([\d.e+-]+) (s|min)"), number(dry, r"^host +([\d.e+-]+) (MiB|GiB)")]
    plan, verdict = [None, None], "-"
    if planned is not None:
        of_run = {"nonzeros": max(1, took.get("nonzeros", 1)), "sweeps": took.get("sweeps", 1), "users": took.get("users"), "items": took.get("items"),
                  "ratings": took.get("ratings") or took.get("ratings_training")}
        text = measure.run([bench.program("strads_sim"), "plan", *(str(word).format(**of_run) for word in planned), "--cores", 1])
        cells = [line for line in text.splitlines() if re.match(r" +[\d.e+]+ ", line)][0].replace("iB", "iB|").split()
        if planned[0] == "mf":
            plan = [float(cells[1]), float(cells[8]) * UNITS[cells[9].rstrip("|")]]
        else:
            besides = re.search(r"^besides +start ([\d.e+-]+) s, load ([\d.e+-]+) s.*check ([\d.e+-]+) s", text, re.M)
            memory = re.search(r"([\d.e+]+) (KiB|MiB|GiB) +[\d.e+]+ (?:B|KiB|MiB|GiB) +\d+$", text, re.M)
            plan = [float(cells[1]) + sum(map(float, besides.groups())), float(memory[1]) * UNITS[memory[2]]]
        verdict = ("fits" if re.search(r"^fits +yes", text, re.M) else "does not fit") + ", " + re.search(r"^hosts +([^:;,]*)", text, re.M)[1].strip()
    shown = lambda value: "-" if value is None else f"{value:.3g}"  # noqa: E731
    return [name, shown(before[0]), shown(plan[0]), f"{took['processor']:.3g}",
            f"{took['seconds_load']:.2g} + {took['seconds_solve']:.2g} + {took['seconds_check']:.2g}", shown(before[1]), shown(plan[1]), f"{took['held']:.3g}",
            verdict]


SUBJECTS = [
    Subject("memory", 4, ["run", "process", "planned, MiB", "held, MiB", "ratio"],
            "tests/process/planned_memory.py build/release/bin . --table", memory, runs=1),
    Subject("plans", 1.5, ["path", "nonzeros guessed / came", "by guess, MiB", "planned, MiB", "held, MiB", "ratio", "by guess, s",
                           "planned, s", "took, s", "ratio"],
            'bench/plan.py build/release/bin "mice-hs, weight" path --bfile mice-hs --pheno pheno.tsv --pheno-name weight --threads 2', plans,
            runs=1),
    Subject("checking", 1.2, ["run", "solve, s", "check, s", "of the solve"],
            "lasso fit --bfile ad --pheno ad.pheno.tsv --pheno-name y --lambda-ratio 0.1 --threads 2 --out run", checking),
    Subject("beside", 1, ["job", "`--dry-run`, s", "`plan`, s", "took, s of a processor", "load + solve + check, s", "`--dry-run`, MiB",
                          "`plan`, MiB", "held, MiB", "verdict of `plan`"],
            "lasso fit --bfile chr2-eur --pheno pheno.tsv --pheno-name sim20 --lambda-ratio 0.02 --threads 1 --dry-run\n"
            "strads_sim plan --data-shape 503,10025 --storage genotypes --lambda-ratio 0.02 --nonzeros 469 --cores 1\n"
            "strads_sim plan mf --data-shape 610,9724,100836 --solver als --rank 40 --sweeps 20 --workers 8 --cores 1", beside, runs=1),
]
