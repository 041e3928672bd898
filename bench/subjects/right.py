"""What is right: objectives beside reference solutions, filters beside plink2, scores beside plink2 and R, summary statistics."""
import math
import re
import tempfile

from subjects import measure
from subjects.lasso import present
from subjects.measure import above, fit
from subjects.subject import NotHere, Subject

REFERENCES = ["mice-hs", "soynam", "1000g-chr2-eur", "wheat", "riboflavin", "leukemia", "colon", "prostate-singh", "arcene", "diabetes",
              "news20", "we8there", "w8a"]
SPARSE = ("news20", "we8there", "w8a")


def references(bench):
    rows = []
    for name, options in present(bench, ["leukemia", "diabetes"] if bench.quick else REFERENCES).items():
        reference = bench.sets.reference(name)
        if name == "we8there":  # its own labels are classes: the reference is of ratings
            options = [*options, "--y", bench.sets.file(name, "ratings.csv"), "--y-name", "Overall"]
        cells = []
        for one in reference["lasso"]:
            more = [] if name in SPARSE else ["--center", "on"]
            found = fit([bench.program("lasso"), "fit", *options, *more, "--lambda-ratio", one["lambda_ratio"], "--threads", 2])
            cells.append((f"/ {1 / one['lambda_ratio']:.0f}: {above(found['objective'] / one['objective'] - 1)}",
                          f"{found['relative_gap']:.0e}", str(found["phases"])))
        rows.append([name, f"{reference['N']:,} x {reference['J']:,}", *(", ".join(column) for column in zip(*cells))])
    return rows


def filters(bench):
    if bench.quick:
        cases = [("1000g-chr2-eur", None)]
    else:
        cases = [("1000g-chr2-eur", None), ("mice-hs", None), ("soynam", None), *((f"dosages, seed {seed}", seed) for seed in (1, 2, 3))]
    rows = []
    for name, seed in cases:
        options = ["--dosages", seed] if seed else bench.sets.regression(name)[1::2]
        try:
            text = measure.script(bench, "bench/filters.py", bench.program("lasso"), *options, accepted=(0, 1))
        except FileNotFoundError as lacking:
            raise NotHere("plink2") from lacking
        lines = [line.split("\t") for line in text.splitlines() if "\t" in line]
        rows.append([name, str(len(lines)), str(sum(line[0] == "same" for line in lines)),
                     str(sum("none left" in line[2] for line in lines if line[0] == "same"))])
    return rows


def scores(bench):
    measure.need_r_package("pROC")
    cases = [("1000g-chr2-eur", []), ("1000g-chr2-eur", ["--cut"])]
    if not bench.quick:
        cases += [("mice-hs", ["--covar", "birthMonth,Litter"]), ("mice-hs", ["--covar", "birthMonth,Litter", "--cut"]),
                  ("soynam", ["--covar", "protein,oil"]), ("soynam", ["--covar", "protein,oil", "--cut"])]
    rows = []
    for name, more in cases:
        prefix, pheno, trait = bench.sets.regression(name)[1::2]
        text = measure.script(bench, "bench/check_scores.py", prefix, pheno, trait, *more, "--lasso", bench.program("lasso"), accepted=(0, 1))
        values = {what: value for what, value in re.findall(r"^(.+): (\S+) \(at most", text, re.M)}
        units = max(float(value) for what, value in values.items() if what.startswith("plink2"))
        rows.append([f"{name}, {trait}" + (", cut at the median" if "--cut" in more else "")] +
                    [next(value for what, value in values.items() if what.startswith(start))
                     for start in ("largest difference", "swapped")] + [f"{units:.2f}"] +
                    [next(value for what, value in values.items() if what.startswith(start)) for start in ("statistics", "bootstrap")])
    return rows


def sumstats(bench):
    """The reference's solutions, each by a fit of its own grid point."""
    measure.need_python_package("scipy")
    from scipy import stats

    folder = bench.sets.folder("lassosum")
    reference = bench.sets.reference("lassosum")
    rows = []
    with tempfile.TemporaryDirectory() as out:
        with open(folder / "summarystats.txt", encoding="ascii") as lines, open(f"{out}/study.tsv", "w", encoding="ascii") as study:
            head = lines.readline().split()
            study.write("SNPID\tChr\tPosition\tA1\tA2\tbeta\tse\tn\n")
            for line in lines:
                row = dict(zip(head, line.split()))
                # The intervals have two digits: t comes from the P value, as the reference's does.
                effect = math.log(float(row["OR_A1"]))
                t = math.copysign(stats.t.isf(float(row["P_val"]) / 2, reference["n"] - 2), effect) if effect else 0.0
                study.write("\t".join([row["SNPID"], row["Chr"], row["Position"], row["A1"], row["A2"], repr(float(t)), "1",
                                       str(reference["n"])]) + "\n")
        ratios = sorted({one["s"] for one in reference["solutions"]})
        lambdas = sorted({one["lambda"] for one in reference["solutions"]}, reverse=True)
        command = [bench.program("lasso"), "path", "--sumstats", f"{out}/study.tsv", "--bfile", folder / "refpanel", "--ld-blocks",
                   folder / "Berisa.EUR.hg19.bed", "--sumstats-columns", "chr=Chr,pos=Position,a1=A1,a2=A2,beta=beta,se=se,n=n", "--qc", "off", "--tolerance", "1e-12", "--shrink",
                   ",".join(map(str, ratios)), "--lambda", ",".join(map(str, lambdas)), "--threads", 2]
        measure.run([*command, "--out", f"{out}/run", "--quiet"])
        lines = [line.rstrip("\n").split("\t") for line in open(f"{out}/run/path.tsv", encoding="utf-8")]
        points = [dict(zip(lines[0], line)) for line in lines[1:]]
    for s in ratios:
        worst, same = 0.0, 0
        mine = [one for one in reference["solutions"] if one["s"] == s]
        for one in mine:
            point = next(p for p in points if abs(float(p["s"]) - s) < 1e-12 and abs(float(p["lambda"]) / one["lambda"] - 1) < 1e-9)
            worst = max(worst, abs(float(point["objective"]) - one["objective"]) / max(abs(one["objective"]), 1e-300)
                        if one["objective"] else abs(float(point["objective"])))
            same += int(point["nonzeros"]) == one["nonzeros"]
        rows.append([f"{s:g}", str(len(mine)), f"{worst:.0e}", f"{same} of {len(mine)}"])
    return rows


SUBJECTS = [
    Subject("references", 0.6, ["set", "samples x variables", "above", "relative gap", "phases"],
            "lasso fit --bfile mice-hs --pheno pheno.tsv --pheno-name weight --lambda-ratio 0.01 --out run", references, runs=1),
    Subject("filters", 1.5, ["set", "combinations", "the same counts", "of these nothing left in both"],
            "bench/filters.py lasso mice-hs pheno.tsv weight\nbench/filters.py lasso --dosages 1", filters, runs=1),
    Subject("scores", 2, ["set", "numpy, float64: of the largest score", "alleles altered: of the largest",
                          "plink2: units of its sixth digit", "R: figures and analytic intervals", "bootstrap: Monte Carlo errors"],
            "bench/check_scores.py mice-hs pheno.tsv weight --covar birthMonth,Litter --cut", scores, runs=1),
    Subject("sumstats", 0.2, ["s", "solutions", "objective off by", "nonzeros the same"],
            "lasso path --sumstats summarystats.txt --bfile refpanel --ld-blocks Berisa.EUR.hg19.bed --qc off --tolerance 1e-12 --out run",
            sumstats, runs=1),
]
