"""Pictures. matplotlib is imported when one is asked for."""

import numpy as np

_MEASURES = {"mse": "mean squared error", "mae": "mean absolute error", "deviance": "binomial deviance",
             "class": "share misclassified", "auc": "area under the ROC curve"}


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def _penalty_axis(ax, name, grid):
    """Logarithmic, so that alpha = 0 and C = inf have no place on it: the label says so."""
    ax.set_xscale("log")
    left_out = [text for text, there in (("0", (grid == 0).any()), ("inf", np.isinf(grid).any())) if there]
    ax.set_xlabel(f"{name} ({left_out[0]} is not shown)" if left_out else name)


def plot_path(estimator, ax=None, largest=20, **how):
    """The coefficients that become largest, against alpha, or C: the largest penalty is left."""
    ax = _axes(ax)
    rows = estimator.coef_path_.tocsr()
    size = np.asarray(abs(rows).max(axis=1).todense()).ravel()
    name, grid = estimator._penalty_axis()
    shown = (grid > 0) & np.isfinite(grid)
    for j in np.argsort(-size, kind="stable")[:largest]:
        if size[j] > 0:
            ax.plot(grid[shown], rows[j].toarray().ravel()[shown], **how)
    _penalty_axis(ax, name, grid)
    if name == "alpha":
        ax.invert_xaxis()
    ax.set_ylabel("coefficient")
    return ax


def plot_cv(estimator, ax=None, **how):
    """Mean error of the samples held out, with one standard error, against alpha, or C: the largest penalty is left. Lines
    have labels, for ax.legend()."""
    ax = _axes(ax)
    name, grid, mean, least, simplest = estimator._error_curve()
    grid = grid[: len(mean)]
    shown = (grid > 0) & np.isfinite(grid)
    ax.errorbar(grid[shown], mean[shown], estimator.standard_error_[shown], fmt=".", capsize=2, **how)
    for at, line, label in ((least, "--", "best"), (simplest, ":", "within one standard error of the best")):
        if 0 < at < np.inf:
            ax.axvline(at, linestyle=line, color="black", linewidth=1, label=label)
    _penalty_axis(ax, name, grid)
    if grid[0] > grid[-1]:
        ax.invert_xaxis()
    of_family = {"deviance": "Poisson deviance"} if estimator._family == "poisson" else {}
    ax.set_ylabel({**_MEASURES, **of_family}[estimator.measure_])
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
