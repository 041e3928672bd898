"""The Lasso: how fast, how small, and how other programs do."""
import tempfile

from subjects import measure
from subjects.measure import above, fit, in_turns, median, seconds
from subjects.subject import NotHere, Subject

NAMES = {"ad": "463 x 508,999 genotypes", "words": "words (20,242 x 47,236, 1.6 M entries, `--center off`)",
         "powerlaw": "power law (100,000 x 1,000,000, 11 M entries, `--center off`)", "news20": "news20 (11,269 x 53,975, `--center off`)",
         "arcene": "arcene (200 x 10,000)", "prostate-singh": "prostate-singh (102 x 12,600)",
         "mice-hs": "mice-hs (weight, 1,928 x 12,545)", "soynam": "soynam (height, 5,143 x 4,312)"}
LARGE = list(NAMES)
PATHS = {"ad": ["--lambdas", "20", "--lambda-min-ratio", "0.01"],
         "mice-hs": ["--lambdas", "100", "--lambda-min-ratio", "0.01", "--early-end", "off"],
         "soynam": ["--lambdas", "100", "--lambda-min-ratio", "0.01", "--early-end", "off"]}


def present(bench, names):
    """Those of the sets that are here, with their options; a run with none of them measures nothing."""
    found = {}
    for name in names:
        try:
            found[name] = bench.sets.regression(name)
        except NotHere as lacking:
            print(f"  {name}: left out, there is no {lacking}", flush=True)
    if not found:
        raise NotHere(f"any of {', '.join(names)}")
    return found


def fits(bench):
    lasso = bench.program("lasso")
    rows = []
    for name, options in present(bench, ["ad", "prostate-singh"] if bench.quick else LARGE).items():
        for divisor in (10, 100):
            command = [lasso, "fit", *options, "--lambda-ratio", 1 / divisor, "--threads"]
            found = in_turns({count: lambda n=count: fit([*command, n]) for count in (2, 1)}, bench.runs)
            solve, wall, check, peak = median(found[2], "seconds_solve", "wall", "seconds_check", "peak")
            alone, processor = median(found[1], "seconds_solve", "processor")
            rows.append([f"{NAMES[name]}, {divisor}", f"**{seconds(solve)}**", seconds(alone), seconds(check), seconds(wall),
                         seconds(processor), f"{peak:.0f}"])
    return rows


def paths(bench):
    lasso = bench.program("lasso")
    rows = []
    for name, options in present(bench, ["ad"] if bench.quick else PATHS).items():
        found = in_turns({0: lambda: fit([lasso, "path", *options, *PATHS[name], "--threads", 2])}, bench.runs)[0]
        wall, processor, peak = median(found, "wall", "processor", "peak")
        rows.append([f"{NAMES[name]}, `{' '.join(PATHS[name])}`", f"**{seconds(wall)}**", seconds(processor), f"{peak:.0f}"])
    return rows


def large_peers(bench):
    measure.need_r_package("glmnet")
    measure.need_python_package("sklearn")
    prefix = bench.sets.made("ad")
    lasso = bench.program("lasso")
    options = [*bench.sets.regression("ad"), "--lambda-ratio", 0.1, "--threads", 2]
    best = fit([lasso, "fit", *options, "--tolerance", 1e-12])["objective"]
    glmnet = lambda: measure.json_lines(measure.script(bench, "bench/peers/glmnet_lasso.R", prefix, 0.1, 1e-7, "path20"))[0]
    sklearn = lambda: measure.json_lines(measure.script(bench, "bench/peers/sklearn_lasso.py", prefix, 0.1, "--objective", best,
                                                        "--relative-gap", 1e-2))[0]
    ours = in_turns({0: lambda: fit([lasso, "fit", *options])}, bench.runs)[0]
    theirs = in_turns({"scikit-learn, float32, gap 1e-2 F": sklearn, "glmnet, path of 20, thresh 1e-7": glmnet}, bench.few(3), 0)
    load, solve, peak, objective = median(ours, "seconds_load", "seconds_solve", "peak", "objective")
    rows = [["`lasso fit`, certified gap 1e-6 F", above(objective / best - 1), seconds(load), f"**{seconds(solve)}**",
             f"**{seconds(load + solve)}**", f"**{peak:.0f}**"]]
    for name, results in theirs.items():
        load, solve, peak, objective = median(results, "seconds_load", "seconds_solve", "peak_mb", "objective")
        rows.append([name, above(objective / best - 1), seconds(load), seconds(solve), seconds(load + solve), f"{peak:,.0f}"])
    return rows


def option_text(name, options):
    return f"{name}=" + ",".join(str(word) for word in options)


def real_peers(bench):
    measure.need_r_package("glmnet")
    measure.need_python_package("sklearn")
    names = ["leukemia"] if bench.quick else ["arcene", "prostate-singh", "mice-hs", "soynam"]
    text = measure.script(bench, "bench/peers/real_sets.py", bench.program("lasso"), "--runs", bench.runs, "--peer-runs",
                          bench.few(3), "--limit", 10 if bench.quick else 40,
                          *(option_text(name, options) for name, options in present(bench, names).items()))
    return measure.table_of(text)


def cross_validation(bench):
    measure.need_r_package("glmnet")
    lasso, prefix = bench.program("lasso"), bench.sets.made("ad")
    command = [lasso, "cv", *bench.sets.regression("ad"), "--folds", 3 if bench.quick else 10, "--lambdas", 10 if bench.quick else 100,
               "--lambda-min-ratio", 0.3 if bench.quick else 0.01, "--threads", 2]
    found = in_turns({0: lambda: fit(command)}, bench.few(3), 0)[0]
    with tempfile.TemporaryDirectory() as folder:
        measure.run([*command, "--out", f"{folder}/run", "--quiet"])
        theirs = measure.json_lines(measure.script(bench, "bench/peers/glmnet_cv.R", prefix, f"{folder}/run"))[0]
    load, solve, check, wall, peak = median(found, "seconds_load", "seconds_solve", "seconds_check", "wall", "peak")
    return [["`lasso cv`, each solution certified to 1e-6 F", seconds(load), f"**{seconds(solve)}**", seconds(check),
             f"**{seconds(wall)}**", f"**{peak:.0f}**", ""],
            ["`cv.glmnet`, our folds and lambdas, thresh 1e-7, one run", seconds(theirs["seconds_load"]), seconds(theirs["seconds_solve"]),
             "none", seconds(theirs["seconds_load"] + theirs["seconds_solve"]), f"{theirs['peak_mb']:,.0f}", f"{theirs['curve_differs']:.1g}"]]


def ratios(bench):
    measure.need_r_package("glmnet")
    measure.need_python_package("sklearn")
    cases = [("diabetes", "1,0.9,0.5,0", ["--folds", 10, "--least", 0.01]),
             ("leukemia", "1,0.9,0.5,0", ["--folds", 5, "--lambdas", 20, "--least", 0.1, "--thresh", 1e-12])]
    if not bench.quick:
        cases.append(("mice-hs", "1,0.5", ["--folds", 3, "--lambdas", 12, "--least", 0.3, "--thresh", 1e-12, "--tolerance", 1e-8]))
    rows = []
    for name, chosen, more in cases:
        try:
            given = option_text(name, bench.sets.regression(name))
        except NotHere:
            continue
        facts = measure.json_lines(measure.script(bench, "bench/peers/l1_ratios.py", bench.program("lasso"), given, "--ratios", chosen,
                                                  *more, "--without-sklearn"))[0]
        same = sum(one["min_same"] + one["1se_same"] for one in facts["glmnet"])
        rows.append([f"{name}; {chosen}", f"{same} of {2 * len(facts['glmnet'])}", facts["ours"][0], facts["glmnet_chooses"],
                     f"{max(one['curve_differs'] for one in facts['glmnet']):.1g}", f"{facts['ours_seconds']:.2f}",
                     f"{sum(one['seconds'] for one in facts['glmnet']):.2f}"])
    return rows


def warm(bench):
    lasso, options = bench.program("lasso"), bench.sets.regression("mice-hs")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = options[options.index("--bfile") + 1]
        people = [line.split()[:2] for line in open(f"{prefix}.fam", encoding="ascii")]
        with open(f"{folder}/half.txt", "w", encoding="ascii") as out:
            out.writelines(" ".join(one) + "\n" for one in people[::2])
        for divisor in (2, 10) if bench.quick else (2, 10, 50):
            command = [lasso, "fit", *options, "--lambda-ratio", 1 / divisor, "--threads", 2]
            measure.run([*command, "--keep", f"{folder}/half.txt", "--out", f"{folder}/run", "--force", "--quiet"])
            cold, warmed = fit(command), fit([*command, "--warm-start", f"{folder}/run"])
            rows.append([str(divisor), str(cold["nonzeros"]), f"{cold['updates']:,}", f"{warmed['updates']:,}", f"{cold['flops']:.2e}",
                         f"{warmed['flops']:.2e}", f"{100 * (warmed['flops'] / cold['flops'] - 1):+.0f} %"])
    return rows


SUBJECTS = [
    Subject("fits", 2.5, ["set, lambda_max /", "solve, 2 threads", "1 thread", "check", "command, 2 threads", "processor, 1 thread",
                          "peak, MiB"],
            "lasso fit --bfile ad --pheno ad.pheno.tsv --pheno-name y --lambda-ratio 0.1 --threads 2 --out run", fits),
    Subject("paths", 0.8, ["path", "command", "processor", "peak, MiB"],
            "lasso path --bfile ad --pheno ad.pheno.tsv --pheno-name y --lambdas 20 --lambda-min-ratio 0.01 --threads 2 --out run", paths),
    Subject("large-peers", 5, ["program", "above the best", "load, s", "solve, s", "load + solve", "peak, MiB"],
            "bench/peers/sklearn_lasso.py ad 0.1 --objective F --relative-gap 1e-2\nRscript bench/peers/glmnet_lasso.R ad 0.1 1e-7 path20",
            large_peers),
    Subject("real-peers", 7, ["set", "lambda_max /", "ours, s", "glmnet, s", "above", "scikit-learn, s", "above"],
            "bench/peers/real_sets.py lasso arcene=--x,X.csv,--y,y.csv mice-hs=--bfile,mice-hs,--pheno,pheno.tsv,--pheno-name,weight ...",
            real_peers),
    Subject("cv", 5, ["program", "load, s", "solve, s", "check, s", "all, s", "peak, MiB", "curve off by"],
            "lasso cv --bfile ad --pheno ad.pheno.tsv --pheno-name y --folds 10 --lambdas 100 --lambda-min-ratio 0.01 --threads 2 --out run\n"
            "Rscript bench/peers/glmnet_cv.R ad run", cross_validation, runs=3),
    Subject("ratios", 0.7, ["set; ratios", "lambda.min and lambda.1se the same", "best ratio, ours", "cv.glmnet's", "curve off by", "ours, s",
                            "cv.glmnet, s"],
            "bench/peers/l1_ratios.py lasso leukemia=--x,X.csv,--y,y.csv --ratios 1,0.9,0.5,0 --folds 5 --lambdas 20 --least 0.1 "
            "--thresh 1e-12", ratios, runs=1),
    Subject("warm", 0.3, ["lambda_max /", "nonzeros", "updates from zeros", "warm", "flops from zeros", "warm", ""],
            "lasso fit --bfile mice-hs --pheno pheno.tsv --pheno-name weight --lambda-ratio 0.1 --warm-start half --out all", warm, runs=1),
]
