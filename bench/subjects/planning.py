"""What --dry-run says beside what runs take, and what a check costs."""
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
                 ("10,000 x 20,000, split", "split", []), ("the same, `--family binomial`", "split", ["--family", "binomial"])]
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


SUBJECTS = [
    Subject("memory", 4, ["run", "process", "planned, MiB", "held, MiB", "ratio"],
            "tests/process/planned_memory.py build/release/bin . --table", memory, runs=1),
    Subject("plans", 3.5, ["path", "nonzeros guessed / came", "by guess, MiB", "planned, MiB", "held, MiB", "ratio", "by guess, s",
                           "planned, s", "took, s", "ratio"],
            'bench/plan.py build/release/bin "mice-hs, weight" path --bfile mice-hs --pheno pheno.tsv --pheno-name weight --threads 2', plans,
            runs=1),
    Subject("checking", 1, ["run", "solve, s", "check, s", "of the solve"],
            "lasso fit --bfile ad --pheno ad.pheno.tsv --pheno-name y --lambda-ratio 0.1 --threads 2 --out run", checking),
]
