"""Pictures of the guides for reproduce-figures: charts of strads-report, and those of the examples in Python. They are real runs
of seconds on this machine, not simulated ones; docs/GUIDE-reports.md and docs/PYTHON.md have the same commands."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENOTYPES = "tests/datasets/1000g-chr2-eur/"
# Picture: program, its options, and the chart of its report.
REPORTS = {
    "report-cv": ("lasso", f"cv --bfile {GENOTYPES}chr2-eur --pheno {GENOTYPES}pheno.tsv --pheno-name sim20 --folds 5", "cv-1"),
    "report-gantt": ("mf", "fit --config configs/mf-movielens.ini --solver als --sweeps 4 --processes 2 --workers 4 "
                     "--trace-times {out}/times.tsv", "gantt-1")}
EXAMPLES = ("genotypes", "text", "recommendations")


def _do(command, **more):
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, **more)


def reports(folder, out):
    """`folder`: of the programs."""
    for name, (program, options, chart) in REPORTS.items():
        run = out / "runs" / ("cv" if chart == "cv-1" else "films")
        run.parent.mkdir(parents=True, exist_ok=True)
        _do([folder / program, *shlex.split(options.format(out=shlex.quote(str(out)))), "--out", run, "--force", "--quiet"])
        _do([ROOT / "scripts/strads-report", run, "--out", out / "pages" / name, "--png"])
        shutil.copy(out / "pages" / name / f"{chart}.png", out / f"{name}.png")
        print(f"{name}.png")


def examples(folder, out):
    """The package lies beside the folder of the programs."""
    environment = {**os.environ, "PYTHONPATH": str(folder.parent / "python")}
    for name in EXAMPLES:
        _do([sys.executable, "-B", f"python/examples/{name}.py", out / f"python-{name}.png"], env=environment)
        print(f"python-{name}.png")
