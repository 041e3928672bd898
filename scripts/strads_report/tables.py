"""Tables of a report: options that differ, and results, under the names that config.ini and summary.json have."""
import json

# In this order; unit "" where the name says it, or there is none. A name with a dot is of an object in the summary.
RESULTS = (
    ("program", ""), ("stop_reason", ""), ("tolerance_met", ""), ("finished", ""), ("objective", ""), ("duality_gap", ""),
    ("relative_gap", ""), ("relative_gap_worst", ""), ("tolerance", ""), ("lambda", ""), ("lambda_max", ""), ("lambda_last", ""),
    ("measure", ""), ("lambda_min.lambda", ""), ("lambda_min.error", ""), ("lambda_min.standard_error", ""),
    ("lambda_min.nonzeros", ""), ("lambda_min.r2", ""), ("lambda_1se.lambda", ""), ("lambda_1se.error", ""),
    ("lambda_1se.standard_error", ""), ("lambda_1se.nonzeros", ""), ("lambda_1se.r2", ""), ("chosen.lambda", ""),
    ("chosen.error", ""), ("chosen.nonzeros", ""), ("choice.by", ""), ("choice.s", ""), ("choice.lambda", ""),
    ("choice.nonzeros", ""), ("choice.measure", ""), ("choice.measured", ""), ("metric", ""),
    ("best.rank", ""), ("best.lambda", ""),
    ("best.alpha0", ""), ("best.nu", ""), ("best.alpha", ""), ("best.l1", ""), ("best.l2", ""), ("best.cost", ""), ("best.error", ""),
    ("best.test_rmse", ""), ("best.test_rmse_error", ""), ("simplest_within_one_error.rank", ""),
    ("simplest_within_one_error.lambda", ""), ("simplest_within_one_error.cost", ""), ("nonzeros", ""), ("nonzeros_last", ""),
    ("support_vectors", ""), ("training_accuracy", ""), ("r2", ""), ("deviance_ratio", ""), ("deviance_ratio_last", ""),
    ("train_rmse", "unit of the ratings"), ("validation_rmse", "unit of the ratings"), ("test_rmse", "unit of the ratings"),
    ("test_mae", "unit of the ratings"), ("sweeps", ""), ("best_sweep", ""), ("imbalance", "largest / mean load"),
    ("log_joint", "nats"), ("held_out_perplexity", ""), ("lambdas_solved", ""), ("lambdas", ""), ("folds", ""), ("solutions", ""),
    ("solutions_certified", ""), ("rounds", ""), ("phases", ""), ("blocks", ""), ("blocks_per_round", ""), ("updates", ""),
    ("flops", ""), ("worker_wait_share", "of the time"), ("messages", ""), ("bytes", "bytes"), ("transport", ""),
    ("cluster.nodes", ""), ("cluster.seconds_start", "s"), ("seconds_load", "s"), ("seconds_solve", "s"), ("seconds_check", "s"),
    ("peak_rss_bytes", "bytes"), ("policy", ""), ("solver", ""), ("schedulers", ""), ("workers", ""), ("depth", ""), ("seed", ""),
    ("beta_hash", ""), ("path_hash", ""), ("model_hash", ""), ("kernel_target", ""), ("version", ""), ("build", ""))
NOT_COMPARED = {("output", "out"), ("output", "quiet")}  # they differ in any two runs, or mean nothing for them


def results(runs):
    """[(name, unit, [value of each run, None where it has none])], names that any run has."""
    rows = [(name, unit, [run.fact(name) for run in runs]) for name, unit in RESULTS]
    return [row for row in rows if any(value is not None and not isinstance(value, (dict, list)) for value in row[2])]


def options(runs):
    """(those that differ, those that are the same in all runs): [(section, name, [value of each run or None])]."""
    names = list(dict.fromkeys(name for run in runs for name in run.options if name not in NOT_COMPARED))
    rows = [(*name, [run.options.get(name) for run in runs]) for name in names]
    return [row for row in rows if len(set(row[2])) > 1], [row for row in rows if len(set(row[2])) == 1]


def shown(value):
    """A value for people: seven digits. The page holds all of them beside it."""
    if value is None:
        return "\u2014"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.7g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def exact(value):
    """As JSON has it."""
    return json.dumps(value)
