"""What the stories of whole runs share: a fit, a driver that listens, its result, a key for all."""
import json
import os
import subprocess
import time


def fit_command(bin_dir, source, out):
    data = os.path.join(source, "tests/datasets/1000g-chr2-eur")
    return [os.path.join(bin_dir, "lasso"), "fit", "--bfile", os.path.join(data, "chr2-eur"), "--pheno",
            os.path.join(data, "pheno.tsv"), "--pheno-name", "sim20", "--policy", "paper", "--lambda-ratio", "0.2",
            "--max-rounds", "2500", "--schedulers", "4", "--workers", "8", "--depth", "2", "--quiet", "--force", "--out", out]


def cv_command(bin_dir, source, out):
    data = os.path.join(source, "tests/datasets/1000g-chr2-eur")
    return [os.path.join(bin_dir, "lasso"), "cv", "--bfile", os.path.join(data, "chr2-eur"), "--pheno",
            os.path.join(data, "pheno.tsv"), "--pheno-name", "sim20", "--folds", "10", "--lambdas", "30",
            "--lambda-min-ratio", "0.2", "--schedulers", "1", "--workers", "4", "--quiet", "--force", "--out", out]


def mf_command(bin_dir, source, out):
    ratings = os.path.join(source, "tests/datasets/movielens/ratings.csv.gz")
    return [os.path.join(bin_dir, "mf"), "fit", "--ratings", ratings, "--rank", "32", "--lambda", "0.1", "--sweeps", "40",
            "--early-stopping", "off", "--tolerance", "0", "--schedulers", "4", "--workers", "8", "--quiet", "--force", "--out", out]


def result_of(process, out):
    """The summary; where there is none, why, in the place of a hash."""
    _, errors = process.communicate(timeout=300)
    if process.returncode not in (0, 3):  # 3: --max-rounds: results are written, the tolerance is not met
        return {"beta_hash": f"exit code {process.returncode}: {errors.strip()}"}
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def bits(summary):
    """What a run that goes on elsewhere must end with, whatever its command."""
    return [summary.get(name) for name in ("beta_hash", "path_hash", "fold_path_hashes", "model_hash")]


def embedded_hash(bin_dir, source, folder):
    """What every run of this fit must give, on whatever processes."""
    out = os.path.join(folder, "embedded")
    return result_of(subprocess.Popen(fit_command(bin_dir, source, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True), out)["beta_hash"]


def wait_for(path, process):
    while not os.path.exists(path):
        if process.poll() is not None:
            raise RuntimeError("the driver ended before it listened")
        time.sleep(0.01)
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def new_key(bin_dir, folder):
    """--key and a file for it, for driver and nodes."""
    path = os.path.join(folder, "run.key")
    if not os.path.exists(path):
        subprocess.run([os.path.join(bin_dir, "stradsd"), "--new-key", path], check=True)
    return ["--key", path]


def listening_driver(command, folder, options):
    """The driver, and the endpoint where it listens. `options`: how many nodes, keys and the like."""
    endpoint_file = os.path.join(folder, "endpoint")
    if os.path.exists(endpoint_file):
        os.remove(endpoint_file)
    driver = subprocess.Popen([*command, "--listen", "tcp://127.0.0.1:0", "--endpoint-file", endpoint_file, *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return driver, wait_for(endpoint_file, driver)
