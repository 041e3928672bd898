"""Schedules and clusters: policies, kernels, blocks that run at once, processes, checkpoints, the simulator."""
import pathlib
import re
import statistics
import tempfile

from subjects import measure
from subjects.measure import fit, in_turns, median, seconds
from subjects.subject import NotHere, Subject

POLICIES = ["leukemia", "riboflavin", "prostate-singh", "arcene", "1000g-chr2-eur", "news20", "mice-hs", "soynam"]
PASSES = {"pass over 463 x 508,999 genotypes": "streamed-flop", "the same in whole numbers": "quantised-flop"}
FLOPS = {"sweeps over some thousand genotypes": "swept-flop", "products of pairs of genotypes": "tiled-flop",
         "single columns here and there": "scattered-flop", "pass over floats": "streamed-flop-f32", "pass over doubles": "streamed-flop-f64",
         "pass over compressed columns": "streamed-flop-sparse"}
PAPER = ["--policy", "paper", "--lambda-ratio", 0.2, "--max-rounds", 3000, "--tolerance", 0, "--schedulers", 4, "--workers", 8, "--depth", 2]


def policies(bench):
    """The grid of bench/policies.ini on other sets."""
    optima, sections = {}, ""
    for name in ["leukemia"] if bench.quick else POLICIES:
        try:
            options, reference = bench.sets.regression(name), bench.sets.reference(name)
        except NotHere:
            continue
        optima[name] = next(one["objective"] for one in reference["lasso"] if one["lambda_ratio"] == 0.1)
        lines = zip(options[::2], options[1::2])
        sections += f"[set {name}]\n" + "".join(f"{option[2:]} = {value}\n" for option, value in lines)
    text = (measure.ROOT / "bench/policies.ini").read_text().partition("[set ")[0]
    text = re.sub("(?m)^set = .*$", f"set = {', '.join(optima)}", re.sub("(?m)^repeat = .*$", f"repeat = 1..{bench.runs}", text))
    order, bound = (re.search(f"(?m)^{name} = (.*)$", text)[1] for name in ("policy", "max-seconds"))
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "policies.ini").write_text(text + sections)
        measure.script(bench, "scripts/experiment", f"{folder}/policies.ini", "--out", f"{folder}/out", "--bin", bench.bin, "--quiet")
        took = {(name, policy): statistics.median(
            measure.seconds_to(pathlib.Path(folder, "out/runs", f"repeat={turn},set={name},policy={policy}"), optimum, float(bound))
            for turn in range(1, bench.runs + 1)) for name, optimum in optima.items() for policy in order.split(", ")}
    rows = [[took[name, policy] for policy in order.split(", ")] for name in optima]
    return [[name, f"**{ours:.4f}**", *(f"{one:.3g}" if one < float(bound) else f"> {bound}" for one in others), f"{min(others) / ours:.1f}"]
            for name, (ours, *others) in zip(optima, rows)]


def kernels(bench):
    """Prices of a flop, as strads_sim calibrate finds them, times the flops of a pass over 463 x 508,999 genotypes."""
    rows, columns = (463, 20000) if bench.quick else (463, 508999)
    found = []
    for _ in range(bench.runs):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "constants.ini")
            measure.run([bench.program("strads_sim"), "calibrate", "--rows", rows, "--columns", columns, "--out", out])
            found.append({key: float(value) for key, value in re.findall(r"^([\w.-]+) = ([\d.eE+-]+)$", out.read_text(), re.M)})
    flops = 2 * rows * columns
    shown = [(what, f"{1e3 * flops * median(found, key):.1f} ms") for what, key in PASSES.items()]
    return shown + [(f"{what}, a flop", f"{1e9 * median(found, key):.3f} ns") for what, key in FLOPS.items()]


def parallel(bench):
    options = bench.sets.regression("biobank")
    rows = []
    for workers in (1, 8, 16):
        one = fit([bench.program("lasso"), "fit", *options, "--lambda-ratio", 0.1, "--workers", workers, "--threads", 2])
        rows.append([str(workers), str(one["phases"]), f"{one['blocks'] / one['rounds']:.1f}" if "blocks" in one else "", f"{one['updates']:,}",
                     seconds(one["seconds_solve"])])
    return rows


def processes(bench):
    cases = [("1000g-chr2-eur, `paper`, 8 blocks of one variable a round", [*bench.sets.regression("1000g-chr2-eur"), *PAPER])]
    if bench.quick:
        cases[0][1][cases[0][1].index(3000)] = 300
    else:
        cases += [("4,000 x 40,007 genotypes, `auto`, / 10", [*bench.sets.regression("middle"), "--lambda-ratio", 0.1, "--schedulers", 2]),
                  ("463 x 508,999 genotypes, `auto`, / 10", [*bench.sets.regression("ad"), "--lambda-ratio", 0.1, "--schedulers", 2]),
                  ("the same, / 100", [*bench.sets.regression("ad"), "--lambda-ratio", 0.01, "--schedulers", 2])]
    rows = []
    for name, options in cases:
        text = measure.script(bench, "bench/transports.py", bench.bin, bench.runs, "--", "fit", *options)
        rounds = re.search(r", (\d+) rounds", text)[1]
        ways = measure.table_of(text)
        rows.append([name, rounds, *(way[1] for way in (ways[0], ways[1], ways[3], ways[2])),
                     ", ".join(way[3] for way in (ways[1], ways[3], ways[2])), ways[1][5]])
    return rows


def checkpoints(bench):
    options = [*bench.sets.regression("1000g-chr2-eur"), "--policy", "paper", "--lambda-ratio", 0.1, "--schedulers", 4]
    if bench.quick:
        options += ["--max-rounds", 300]
    command = [bench.program("lasso"), "fit", *options]
    found = in_turns({"without": lambda: fit(command), "`--checkpoint-seconds 1`": lambda: fit([*command, "--checkpoint-seconds", 1])}, bench.runs, 0)
    return [[name, *map(seconds, median(each, "seconds_solve", "processor")), f"{median(each, 'peak'):.1f}"] for name, each in found.items()]


def seeds(bench):
    last = 50 if bench.quick else 2000
    text = measure.run([bench.program("strads_sim"), "batch", "--seeds", f"1..{last}", "--threads", 2])
    return [[line.split(":")[0].strip(), line.split(":", 1)[1].strip()] if ":" in line else [re.split(r"  +", line.strip())[0],
            " ".join(re.split(r"  +", line.strip())[1:])] for line in text.splitlines() if line.strip()]


def cores(bench):
    """Virtual seconds to 1e-3 of the optimum. The fit that finds the optimum is ours, to a gap of 1e-8."""
    options = bench.sets.regression("biobank")
    best = fit([bench.program("lasso"), "fit", *options, "--lambda-ratio", 0.1, "--tolerance", 1e-8])["objective"]
    rows, alone = [], None
    for count in (1, 32) if bench.quick else (1, 32, 64, 240, 480):
        each = min(count, 64 if count <= 64 else 60)
        one = fit([bench.program("strads_sim"), "run", *options, "--lambda-ratio", 0.1, "--preset", "modern", "--hosts", -(-count // each), "--cores", each,
                   "--schedulers", 4, "--depth", 2, "--workers", 64, "--target-objective", best * (1 + 1e-3), *(["--embedded"] if count == 1 else [])])
        virtual = one["seconds_virtual"]
        alone = alone or virtual
        rows.append([str(count), f"{virtual:.4f}", f"{100 * alone / virtual / count:.0f} %"])
    return rows


SUBJECTS = [
    Subject("policies", 2.7, ["set", "auto", "uniform", "static", "paper", "theorem1", "block-greedy", "auto against the next"],
            "scripts/experiment bench/policies.ini", policies, runs=3),
    Subject("kernels", 1, ["one thread", "found"], "strads_sim calibrate --rows 463 --columns 508999 --out FILE", kernels, runs=3),
    Subject("parallel", 0.3, ["workers", "phases", "blocks a round", "updates", "solve, s"],
            "lasso fit --bfile biobank --pheno biobank.pheno.tsv --pheno-name y --lambda-ratio 0.1 --workers 8 --out run", parallel, runs=1),
    Subject("processes", 1.3, ["fit", "rounds", "embedded, s", "ipc, s", "tcp, s", "tcp with a key, s",
                             "above embedded, us a round: ipc, tcp, tcp with a key", "bytes a round"],
            "bench/transports.py build/release/bin 5 -- fit --bfile ad --pheno ad.pheno.tsv --pheno-name y --lambda-ratio 0.1 --schedulers 2",
            processes),
    Subject("checkpoints", 1, ["run", "solve, s", "processor, s", "peak, MiB"],
            "lasso fit --bfile chr2-eur --pheno pheno.tsv --pheno-name sim20 --policy paper --lambda-ratio 0.1 --schedulers 4 "
            "--checkpoint-seconds 1 --out run", checkpoints),
    Subject("seeds", 0.2, ["of 2,000 simulated clusters with faults", "found"], "strads_sim batch --seeds 1..2000 --threads 2", seeds, runs=1),
    Subject("cores", 0.3, ["cores", "virtual seconds to 1e-3", "share of ideal"],
            "strads_sim run --bfile biobank --pheno biobank.pheno.tsv --pheno-name y --lambda-ratio 0.1 --preset modern --cores 64 --schedulers 4 "
            "--depth 2 --workers 64 --target-objective F --out run", cores, runs=1),
]
