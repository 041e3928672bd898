"""Pictures. matplotlib is imported when one is asked for."""

import numpy as np

_MEASURES = {"mse": "mean squared error", "mae": "mean absolute error", "deviance": "binomial deviance",
             "class": "share misclassified", "auc": "area under the ROC curve"}


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def plot_path(estimator, ax=None, largest=20, **how):
    """The coefficients that become largest, against alpha."""
    ax = _axes(ax)
    rows = estimator.coef_path_.tocsr()
    size = np.asarray(abs(rows).max(axis=1).todense()).ravel()
    for j in np.argsort(-size, kind="stable")[:largest]:
        if size[j] > 0:
            ax.plot(estimator.alphas_, rows[j].toarray().ravel(), **how)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("alpha")
    ax.set_ylabel("coefficient")
    return ax


def plot_cv(estimator, ax=None, **how):
    """Mean error of the samples held out, with one standard error, against alpha, or C: the largest penalty is left."""
    ax = _axes(ax)
    name, grid, mean, least, simplest = estimator._error_curve()
    ax.errorbar(grid[: len(mean)], mean, estimator.standard_error_, fmt=".", capsize=2, **how)
    ax.axvline(least, linestyle="--", color="black", linewidth=1)
    ax.axvline(simplest, linestyle=":", color="black", linewidth=1)
    ax.set_xscale("log")
    if grid[0] > grid[-1]:
        ax.invert_xaxis()
    ax.set_xlabel(name)
    ax.set_ylabel(_MEASURES[estimator.measure_])
    return ax


class Convergence:
    """A callback that keeps what it hears: `Lasso(callback=c)`, then `c.plot()`."""

    def __init__(self):
        self.events = []

    def __call__(self, facts):
        self.events.append(dict(facts))
        return False

    def plot(self, ax=None, **how):
        """Relative gap of each certificate against seconds. Returns matplotlib's axes."""
        ax = _axes(ax)
        certified = [one for one in self.events if one["event"] == "certificate" and one["relative_gap"] > 0]
        ax.plot([one["seconds"] for one in certified], [one["relative_gap"] for one in certified], ".-", **how)
        ax.set_yscale("log")
        ax.set_xlabel("seconds")
        ax.set_ylabel("relative duality gap")
        return ax
