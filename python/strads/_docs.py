"""Docstrings: what a parameter does is said by the option that it is, in the words of the option table."""

from inspect import signature

from . import _strads

# parameter -> option; the others are said here.
_OPTIONS = {
    "alpha": "lambda", "l1_ratio": "l1-ratio", "positive": "nonnegative", "tol": "tolerance", "max_iter": "max-rounds",
    "n_jobs": "threads", "random_state": "seed", "eps": "lambda-min-ratio", "n_alphas": "lambdas",
    "early_end": "early-end", "scoring": "measure", "alphas": "lambda-file", "Cs": "lambdas",
}
_FACTORIZATION = {
    "n_components": "rank", "alpha": "lambda", "solver": "solver", "bias": "bias", "early_stopping": "early-stopping",
    "max_iter": "sweeps", "tol": "tolerance", "n_jobs": "threads", "random_state": "seed",
}
_OWN = {
    "C": "lambda is 1 / C: the weight of the losses against the penalty",
    "fit_intercept": "--center and --center-y (of two classes --center and --intercept): subtract the means",
    "scale": "--scale: divide every column by its 2-norm; alpha is then that of a StandardScaler before the Lasso",
    "cv": "--folds: what scikit-learn takes, each sample held out once; on disk a number of folds, or a file",
    "choice": "which solution is kept: \"min\" = least error, \"1se\" = largest penalty within one standard error of it",
    "precompute": "looked at, changes no result: True, False, 'auto', or X'X, one element of which is compared with X",
    "copy_X": "looked at, changes no result: X is never overwritten, and copied only where it has to be",
    "selection": "looked at, changes no result: 'cyclic' or 'random'; the order of the columns is the solver's",
    "warm_start": "begin with the coefficients of the fit before; the answer is certified as ever, so it only saves time",
    "verbose": "0; callback=strads.progress_bar() shows how a fit goes on",
    "penalty": "'l1', 'l2', 'elasticnet': l1_ratio says which mixture (at its default 1: 'l1'), or None: none",
    "solver": "looked at, changes no result: all solvers of scikit-learn have one optimum, except that 'liblinear' has a "
              "penalty of the intercept, which a warning says",
    "dual": "looked at, changes no result",
    "intercept_scaling": "looked at, changes no result: the intercept has no penalty",
    "multi_class": "'auto' or 'ovr', which are the same for two classes",
    "class_weight": "a dict {class: weight} or 'balanced' (N over twice the samples of the class): times sample_weight",
    "refit": "True: coef_ is the fit of all samples",
    "cluster": "a strads.Cluster, whose nodes compute the fit; the same bits",
    "callback": "called with a dict at each certificate; true ends the fit in order",
    "options": "a dict of any other option of the command, by its name",
}


def _wrapped(text, indent="        ", width=100):
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


def add_parameters(cls, facts, names):
    """Appends "Parameters" to the docstring of an estimator."""
    by_name = {option["name"]: option for option in facts}
    lines = [cls.__doc__.rstrip(), "", "    Parameters", "    ----------"]
    for name in list(signature(cls.__init__).parameters)[1:]:
        text = _OWN.get(name, "")
        option = by_name.get(names.get(name, ""))
        if option is not None:
            unit = f", {option['unit']}" if option["unit"] else ""
            default = f" (the command's default: {option['default']}{unit})" if option["default"] else ""
            text = f"--{option['name']}: {option['effect']}{default}"
        lines += [f"    {name}", _wrapped(text)]
    cls.__doc__ = "\n".join(lines) + "\n"


def document(classes):
    """`classes`: {class: command}, "factorization" for `mf fit`."""
    facts = {command: _strads.options_of(command) for command in ("fit", "path", "cv")}
    facts["factorization"] = _strads.options_of_factorization()
    for cls, command in classes.items():
        add_parameters(cls, facts[command], _FACTORIZATION if command == "factorization" else _OPTIONS)
