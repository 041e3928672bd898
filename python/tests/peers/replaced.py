"""pytest's plugin that puts strads' estimators in the place of scikit-learn's while the tests of scikit-learn are imported.

Nothing but the estimators is replaced: tests, data, tolerances and helpers are those of the installed scikit-learn. Two
defaults are scikit-learn's, since its tests mean them where they say nothing: the penalty of the logistic classes is l2,
and their cross-validation has 10 values of C. Classes for several responses at once stay scikit-learn's: we have none.
"""

import inspect
import json
import os
import traceback

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.linear_model._coordinate_descent
import sklearn.linear_model._logistic
import sklearn.utils

import strads
from strads._base import StradsEstimator


def with_defaults(cls, **defaults):
    """A class of the same name whose constructor has other defaults."""
    signature = inspect.signature(cls.__init__)
    known = [
        parameter.replace(default=defaults.get(name, parameter.default))
        for name, parameter in signature.parameters.items()]
    ours = cls.__init__

    def __init__(self, *positional, **named):
        ours(self, *positional, **{**defaults, **named})

    __init__.__signature__ = signature.replace(parameters=known)
    return type(cls.__name__, (cls,), {"__init__": __init__, "__module__": __name__, "__qualname__": cls.__name__})


LogisticRegression = with_defaults(strads.LogisticRegression, penalty="l2")
LogisticRegressionCV = with_defaults(strads.LogisticRegressionCV, Cs=tuple(np.logspace(-4, 4, 10).tolist()), penalty="l2")

ESTIMATORS = {
    "Lasso": strads.Lasso,
    "ElasticNet": strads.ElasticNet,
    "LassoCV": strads.LassoCV,
    "ElasticNetCV": strads.ElasticNetCV,
    "LogisticRegression": LogisticRegression,
    "LogisticRegressionCV": LogisticRegressionCV,
}
FUNCTIONS = {"lasso_path": strads.lasso_path, "enet_path": strads.enet_path}
MODULES = (sklearn.linear_model, sklearn.linear_model._coordinate_descent, sklearn.linear_model._logistic)


def ours_only(type_filter=None):
    """sklearn.utils.all_estimators(), of the replaced ones."""
    kinds = {"classifier": "classifier", "regressor": "regressor"}
    wanted = [type_filter] if isinstance(type_filter, str) else type_filter
    return [(name, cls) for name, cls in sorted(ESTIMATORS.items())
            if wanted is None or cls._estimator_type in [kinds.get(kind) for kind in wanted]]


class Replaced:
    """Replaces before anything is collected, puts back afterwards, and writes what became of each test to `report`."""

    def __init__(self, report):
        self.report = report
        self.outcomes = {}
        self.touched = False
        self._kept = []

    def pytest_sessionstart(self, session):
        self.session = session
        sklearn.utils.all_estimators()  # imports all of scikit-learn with its own estimators in place
        replaced = {**ESTIMATORS, **{name: self._noticed(function) for name, function in FUNCTIONS.items()}}
        for module in MODULES:
            for name, ours in replaced.items():
                if hasattr(module, name):
                    self._kept.append((module, name, getattr(module, name)))
                    setattr(module, name, ours)
        self._kept.append((sklearn.utils, "all_estimators", sklearn.utils.all_estimators))
        sklearn.utils.all_estimators = ours_only
        self._notice_estimators()

    def pytest_collection_finish(self, session):
        for module, name, theirs in self._kept:
            setattr(module, name, theirs)

    def _noticed(self, function):
        def noticed(*positional, **named):
            self.touched = True
            return function(*positional, **named)

        noticed.__name__ = function.__name__
        return noticed

    def _notice_estimators(self):
        """A test is about us where it makes, asks or fits one of ours."""
        plugin = self
        for name in ("get_params", "_check_x"):
            inherited = getattr(StradsEstimator, name)

            def noticed(self, *positional, _inherited=inherited, **named):
                plugin.touched = True
                return _inherited(self, *positional, **named)

            noticed.__signature__ = inspect.signature(inherited)
            setattr(StradsEstimator, name, noticed)

        def make(cls, *_, **__):
            plugin.touched = True
            return object.__new__(cls)

        StradsEstimator.__new__ = make

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.touched = False
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        result = (yield).get_result()
        entry = self.outcomes.setdefault(
            item.nodeid, {"file": str(item.path), "outcome": "passed", "seconds": 0.0, "why": ""})
        entry["seconds"] += call.duration
        entry["ours"] = self.touched
        if result.outcome == "skipped":
            entry["outcome"] = "skipped"
            entry["why"] = str(call.excinfo.value) if call.excinfo else ""
        elif result.outcome == "failed":
            entry["outcome"] = "failed"
            entry["why"] = "".join(traceback.format_exception_only(call.excinfo.type, call.excinfo.value)).strip()

    def pytest_collectreport(self, report):
        if report.failed:
            self.outcomes[report.nodeid + "::"] = {
                "file": str(self.session.config.rootpath / report.fspath), "outcome": "failed", "seconds": 0.0,
                "ours": True, "why": f"not collected: {report.longrepr}"}

    def pytest_sessionfinish(self, session):
        with open(self.report, "w") as file:
            json.dump(self.outcomes, file)


def main(arguments):
    report = os.environ["STRADS_PEERS_REPORT"]
    quiet = ["-p", "no:cacheprovider", "-q", "--no-header", "--tb=no", "--continue-on-collection-errors"]
    return int(pytest.main([*quiet, *arguments], plugins=[Replaced(report)]))


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
