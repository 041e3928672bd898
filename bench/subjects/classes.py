"""Two classes: logistic regression and support vector machines beside LIBLINEAR and glmnet."""
import re

from subjects import measure
from subjects.measure import above, fit, in_turns, median, seconds
from subjects.subject import NotHere, Subject


def logistic(bench):
    measure.need_python_package("sklearn")
    x, y = bench.sets.npz("words")
    rows = []
    for ratio in (0.1,) if bench.quick else (0.1, 0.01):
        text = measure.script(bench, "bench/peers/liblinear.py", x, y, ratio, "--repeat", bench.runs, "--tol", 1e-4, "--tolerance", 1e-2,
                              1e-6)
        found = {name: (float(took), how) for name, took, how in re.findall(r"(.+): ([\d.]+) s, (\S+) above", text)}
        theirs = found["LIBLINEAR, tol 0.0001"]
        for tolerance in ("0.01", "1e-06"):
            two, one = (found[f"ours, tolerance {tolerance}, {threads}"] for threads in ("all cores", "one thread"))
            rows.append([f"words, / {1 / ratio:.0f}, tolerance {float(tolerance):g}", f"**{seconds(two[0])}**", seconds(one[0]), two[1],
                         "LIBLINEAR, tol 1e-4", seconds(theirs[0]), theirs[1], f"{two[0] / theirs[0]:.2f}"])
    try:
        measure.need_r_package("glmnet")
    except NotHere:
        return rows
    prefix, lasso = bench.sets.made("ad"), bench.program("lasso")
    options = ["--bfile", prefix, "--pheno", f"{prefix}.cases.tsv", "--pheno-name", "case", "--family", "binomial", "--lambda-ratio"]
    for ratio in (0.1,) if bench.quick else (0.1, 0.01):
        best = fit([lasso, "fit", *options, ratio, "--tolerance", 1e-11])["objective"]
        found = in_turns({n: lambda n=n: fit([lasso, "fit", *options, ratio, "--threads", n]) for n in (2, 1)}, bench.runs)
        theirs = measure.json_lines(measure.script(bench, "bench/peers/glmnet_logistic.R", prefix, ratio, 1e-7))[0]
        took, objective = median(found[2], "seconds_solve", "objective")
        rows.append([f"463 x 508,999 genotypes, / {1 / ratio:.0f}", f"**{seconds(took)}**", seconds(median(found[1], "seconds_solve")),
                     above(objective / best - 1), "glmnet, path of 20, one run", seconds(theirs["seconds_solve"]),
                     above(theirs["objective"] / best - 1), f"{took / theirs['seconds_solve']:.3f}"])
    return rows


def svm(bench):
    measure.need_python_package("sklearn")
    bench.program("svm")
    rows = []
    for name in ("words",) if bench.quick else ("w8a", "words", "news20"):
        try:
            x, y = bench.sets.npz(name)
        except NotHere as lacking:
            print(f"  {name}: left out, there is no {lacking}", flush=True)
            continue
        for loss in ("hinge", "squared_hinge"):
            text = measure.script(bench, "bench/peers/svm.py", x, y, "--loss", loss, "--repeat", bench.runs)
            took = {(gap, who): float(value) for gap, who, value in re.findall(r"to (\S+): (.+?): ([\d.]+) s", text)}
            for gap in ("0.001", "1e-06"):
                theirs = next((value for (to, who), value in took.items() if to == gap and who.startswith("LIBLINEAR")), None)
                two = took[gap, "ours, all cores"]
                rows.append([f"{name}, {loss.replace('_', ' ')}", f"{float(gap):g}", f"**{seconds(two)}**",
                             seconds(took[gap, "ours, one thread"]), seconds(theirs) if theirs else "does not come there",
                             f"{two / theirs:.2f}" if theirs else ""])
    return rows


SUBJECTS = [
    Subject("logistic", 3.5, ["set, lambda_max /", "ours, 2 threads", "1 thread", "above the best", "beside", "s", "above the best", "ratio"],
            "bench/peers/liblinear.py words.npz labels.tsv 0.01 --tol 1e-4 --tolerance 1e-2 1e-6\n"
            "lasso fit --bfile ad --pheno ad.cases.tsv --pheno-name case --family binomial --lambda-ratio 0.1 --out run\n"
            "Rscript bench/peers/glmnet_logistic.R ad 0.1 1e-7", logistic),
    Subject("svm", 4, ["set, loss", "to", "ours, 2 threads, s", "1 thread", "LIBLINEAR, 1 thread", "ratio"],
            "bench/peers/svm.py w8a.npz labels.tsv --loss hinge --repeat 5", svm),
]
