"""What has no penalty where the solver always wants one: alpha = 0, C = inf, alone or in a list, and columns with factor 0
without an intercept. X is copied once in each of them."""

import copy
import warnings

import numpy as np
import scipy.sparse
from sklearn.linear_model import LinearRegression

from ._errors import InputError, UsageError, outside


def _in_memory(inputs, what):
    if inputs.on_disk:
        raise UsageError(f"{what}: X is on disk, expected an array; read it into one, or give a small penalty")


def _whole(x):
    """X as float64, dense or CSC, checked."""
    values = x.data if scipy.sparse.issparse(x) else x
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError("X: found NaN or infinity, expected finite numbers where something has no penalty")
    return x.astype(np.float64).tocsc() if scipy.sparse.issparse(x) else np.asarray(x, dtype=np.float64)


def _takes_part(inputs):
    """Samples with a weight and all covariates."""
    rows = np.ones(len(inputs.y), dtype=bool) if inputs.weights is None else inputs.weights > 0
    for name, values in inputs.covariates:
        if np.isinf(values).any():
            raise InputError(f"covariates: row {np.flatnonzero(np.isinf(values))[0]} of {name!r} is infinite")
        rows &= ~np.isnan(values)
    return rows


def _beside(x, columns):
    if not len(columns):
        return x
    more = np.stack(columns, axis=1)
    return scipy.sparse.hstack([x, more], format="csc") if scipy.sparse.issparse(x) else np.hstack([x, more])


def _factors(inputs):
    return np.ones(inputs.x.shape[1]) if inputs.penalty_factors is None else inputs.penalty_factors


def _check_factors(inputs):
    factors = _factors(inputs)
    if factors.shape != (inputs.x.shape[1],) or np.isnan(factors).any() or (factors < 0).any():
        raise InputError(f"penalty_factors: expected {inputs.x.shape[1]} numbers of at least 0, one for each column of X")
    return factors


def _state(estimator, inputs, coefficients, covariates, intercept):
    """A model as the compiled half has it: without names, for what predicts in Python."""
    variables = [(int(j), "", "", "", "", "", float(coefficients[j]), 0.0) for j in np.flatnonzero(coefficients)]
    return ("y", inputs.x.shape[1], False, False, float(intercept), [name for name, _ in inputs.covariates],
            [float(one) for one in covariates], variables, "gaussian", ("", ""), False)


def announce_least_squares(estimator):
    warnings.warn(f"{type(estimator).__name__}: alpha=0 is least squares without a penalty; "
                  "sklearn.linear_model.LinearRegression says so by its name", UserWarning, stacklevel=outside())


def announce_no_penalty(estimator):
    warnings.warn(f"{type(estimator).__name__}: C=inf is logistic regression without a penalty: where the classes can be "
                  "separated it has no solution", UserWarning, stacklevel=outside())


def with_unpenalised(solve, path, lambdas):
    """A path some of whose penalties are 0. That one is solve()'s (result, solution, model) and comes last; path(those above
    0) makes the others."""
    # First, since it may be refused.
    result, solution, model = solve()
    above = [one for one in lambdas if one > 0]
    whole = path(above) if above and result["error"] is None else {**result, "path": [], "models": []}
    if whole["error"] is not None or len(whole["path"]) < len(set(above)):
        return whole  # ended before
    own = [note for note in result["notes"] if note not in whole["notes"]]
    return {**whole, "path": [*whole["path"], solution], "models": [*whole["models"], model], "path_hash": "",
            "notes": [*whole["notes"], *own], "converged": whole["converged"] and solution["converged"],
            "stop_reason": (result if whole["converged"] else whole)["stop_reason"]}


def _explained(estimator, x, free, y, weights, objective):
    """Of what the columns `free` of x, which have no penalty at any alpha, and the intercept leave of y."""
    if free.any():
        without = LinearRegression(fit_intercept=estimator.fit_intercept).fit(x[:, free], y, sample_weight=weights)
        rest = y - without.predict(x[:, free])
    else:
        rest = y - (np.average(y, weights=weights) if estimator.fit_intercept else 0.0)
    null = float(np.average(rest**2, weights=weights)) / 2
    return 1 - objective / null if null > 0 else 0.0


def least_squares(estimator, inputs):
    """alpha = 0: (result, solution, model) as a fit has them, the solution of least norm by LinearRegression."""
    _in_memory(inputs, "alpha=0")
    if estimator.positive:
        raise UsageError("alpha=0 with positive=True: use sklearn.linear_model.LinearRegression(positive=True)" +
                         (", and leave 0 out of alphas" if hasattr(estimator, "alphas") else ""))
    rows = _takes_part(inputs)
    factors = _check_factors(inputs)
    takes_part = ~np.isinf(factors)
    width = int(takes_part.sum())
    x = _beside(_whole(inputs.x)[:, takes_part], [values for _, values in inputs.covariates])[rows]
    y, weights = inputs.y[rows], None if inputs.weights is None else inputs.weights[rows]
    fitted = LinearRegression(fit_intercept=estimator.fit_intercept).fit(x, y, sample_weight=weights)
    residual = y - fitted.predict(x)
    # What a second fit finds in the residual is what the first one missed of the optimum.
    missed = LinearRegression(fit_intercept=estimator.fit_intercept).fit(x, residual, sample_weight=weights).predict(x)
    objective = float(np.average(residual**2, weights=weights)) / 2
    gap = float(np.average(missed**2, weights=weights)) / 2
    scale = float(np.average(y**2, weights=weights)) / 2
    # Where nothing is left of y the share is of y: a perfect fit leaves rounding.
    relative = gap / max(objective, np.finfo(float).eps * scale, np.finfo(float).tiny)
    coefficients = np.zeros(inputs.x.shape[1])
    coefficients[takes_part] = fitted.coef_[:width]
    tolerance = 1e-6 if estimator.tol is None else estimator.tol
    count = int(rows.sum())
    solution = {"lambda": 0.0, "variables": np.flatnonzero(coefficients),
                "coefficients": coefficients[np.flatnonzero(coefficients)], "intercept": float(fitted.intercept_),
                "covariates": fitted.coef_[width:], "gap": gap * count, "relative_gap": relative,
                "explained": _explained(estimator, x, np.r_[factors[takes_part] == 0, np.ones(x.shape[1] - width, dtype=bool)],
                                        y, weights, objective),
                "converged": relative <= tolerance, "beta_hash": ""}
    result = {"rounds": 1, "stop_reason": "converged" if relative <= tolerance else "no progress left in double precision",
              "notes": ["alpha=0: least squares by sklearn.linear_model.LinearRegression"], "config": "",
              "seconds_load": 0.0, "seconds_solve": 0.0, "seconds_check": 0.0, "converged": solution["converged"],
              "columns": inputs.x.shape[1], "samples": count, "error": None}
    return result, solution, _state(estimator, inputs, coefficients, fitted.coef_[width:], fitted.intercept_)


def logistic_regression(estimator, inputs, options):
    """C = inf: every column has factor 0. The solver wants one that has a penalty, which is a column of noise here, and
    its penalty so large that it takes no part."""
    _in_memory(inputs, "C=inf")
    factors = np.where(np.isinf(_check_factors(inputs)), np.inf, 0.0)
    noise = np.random.default_rng(0).normal(size=inputs.x.shape[0])
    part = copy.copy(inputs)
    part.x = _beside(_whole(inputs.x), [noise])
    if not scipy.sparse.issparse(part.x):
        part.x = np.asfortranarray(part.x)
    part.penalty_factors = np.append(factors, 1.0)
    weights = 1.0 if inputs.weights is None else inputs.weights / inputs.weights[inputs.weights > 0].mean()
    penalty = float(2 * (weights * np.abs(noise)).sum())
    try:
        result = estimator._call("fit", part, {**options, "l1_ratio": 1.0, "lambda": penalty})
    except InputError as error:
        if not hasattr(estimator, "Cs"):
            raise
        raise InputError(f"C=inf: {error}; leave inf out of Cs") from None
    result["columns"] = inputs.x.shape[1]
    solution = result["solution"]
    solution["lambda"] = 0.0
    kept = solution["variables"] < inputs.x.shape[1]
    solution["variables"], solution["coefficients"] = solution["variables"][kept], solution["coefficients"][kept]
    return result, solution, result["model"]


def projected(estimator, call, command, inputs, options, lambdas):
    """call(), of least squares without an intercept, with columns and covariates that have no penalty: they are projected
    out of y and of the others, which is the same problem, and get their coefficients from what is left of y."""
    _in_memory(inputs, "a penalty factor of 0, or covariates, without an intercept")
    if estimator.positive:
        raise UsageError("positive=True needs penalty factors above 0: nothing bounds what has no penalty")
    rows = _takes_part(inputs)
    factors = _check_factors(inputs)
    free = np.flatnonzero(factors == 0)
    if len(free) == len(factors):
        raise UsageError("penalty_factors: all are 0, expected one above it; for least squares give alpha=0")
    x = _whole(inputs.x)
    x = x.toarray(order="F") if scipy.sparse.issparse(x) else x
    space = _beside(x[:, free], [values for _, values in inputs.covariates])[rows]
    roots = np.ones(int(rows.sum())) if inputs.weights is None else np.sqrt(inputs.weights[rows])
    inverse = np.linalg.pinv(space * roots[:, np.newaxis])

    def of_space(values):
        """Its coefficients: weighted least squares."""
        return inverse @ (values * (roots if values.ndim == 1 else roots[:, np.newaxis]))

    part = copy.copy(inputs)
    part.covariates = []
    part.x = np.zeros(x.shape, order="F")
    part.x[rows] = x[rows] - space @ of_space(x[rows])
    part.y = np.zeros(len(inputs.y))
    part.y[rows] = inputs.y[rows] - space @ of_space(inputs.y[rows])
    part.penalty_factors = np.where(factors == 0, np.inf, factors)
    part.weights = rows.astype(np.float64) if inputs.weights is None else np.where(rows, inputs.weights, 0.0)
    result = call(command, part, options, lambdas)

    def completed(solution):
        """(solution, model) with the coefficients of what was projected out."""
        coefficients = np.zeros(x.shape[1])
        coefficients[solution["variables"]] = solution["coefficients"]
        more = of_space(inputs.y[rows] - x[rows] @ coefficients)
        coefficients[free] = more[:len(free)]
        nonzeros = np.flatnonzero(coefficients)
        whole = {**solution, "variables": nonzeros, "coefficients": coefficients[nonzeros], "covariates": more[len(free):]}
        return whole, _state(estimator, inputs, coefficients, more[len(free):], 0.0)

    if command == "fit":
        result["solution"], result["model"] = completed(result["solution"])
    else:
        both = [completed(solution) for solution in result["path"]]
        result["path"], result["models"] = [one for one, _ in both], [model for _, model in both]
    return result
