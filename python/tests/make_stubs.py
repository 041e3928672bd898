#!/usr/bin/env python3
"""Writes strads/__init__.pyi from the package itself (PYTHONPATH=build/release/python). Usage: make_stubs.py [FILE]"""
import inspect
import sys

import strads
from strads import _docs

TYPES = {
    "alpha": "float", "C": "float", "l1_ratio": "float", "fit_intercept": "bool", "scale": "bool", "positive": "bool",
    "tol": "float | None", "max_iter": "int | None", "n_jobs": "int | None", "random_state": "int | np.random.RandomState | np.random.Generator | None",
    "callback": "Callback | None", "cluster": "Cluster | None", "options": "Mapping[str, Any] | None", "eps": "float | None", "n_alphas": "int",
    "alphas": "Iterable[float] | None", "early_end": "bool", "cv": "Any", "choice": "str", "Cs": "int | Iterable[float]",
    "scoring": "str | Callable[..., float]", "groups": "ArrayLike | None", "rows": "Any", "n_components": "int | None", "solver": "str | None", "bias": "bool", "early_stopping": "bool",
    "alpha0": "float | None", "nu": "float | None", "confidence": "str | None", "positive_from": "float | None", "seen": "Any",
    "k": "int", "doc_topic_prior": "float | None", "topic_word_prior": "float | None", "input_features": "ArrayLike | None",
    "X": "Any", "y": "Any", "sample_weight": "ArrayLike | None", "ax": "Any", "prefix": "str | PathLike[str]",
    "user": "int | str", "l1": "float | None", "l2": "float | None", "user_power": "float | None", "item_power": "float | None",
    "userid": "Any", "user_items": "Any", "N": "int", "filter_already_liked_items": "bool", "filter_items": "ArrayLike | None",
    "items": "ArrayLike | None", "itemid": "int | str", "train": "Any", "test": "Any", "train_user_items": "Any",
    "test_user_items": "Any", "K": "int | Iterable[int]", "relevant": "float | None", "n": "int", "exclude": "Any", "directory": "str | PathLike[str]", "force": "bool", "tolerance": "float", "facts": "Mapping[str, Any]",
    "processes": "int | None", "hosts": "str | PathLike[str] | Iterable[str] | None", "threads": "int | None",
    "launch_options": "Mapping[str, Any] | None", "stradsd": "str | PathLike[str] | None",
    "strads_launch": "str | PathLike[str] | None", "path": "str | PathLike[str]", "covariates": "Any",
    "penalty_factors": "ArrayLike | None", "offset": "ArrayLike | None", "precompute": "bool | str | ArrayLike",
    "copy_X": "bool", "warm_start": "bool", "selection": "str", "verbose": "int | bool", "penalty": "str | None",
    "dual": "bool", "intercept_scaling": "float", "class_weight": "Mapping[Any, float] | str | None", "multi_class": "str",
    "shrinks": "float | Sequence[float]", "sumstats": "str | PathLike[str] | Iterable[str | PathLike[str]] | None",
    "r": "ArrayLike | None", "beta": "ArrayLike | None", "se": "ArrayLike | None", "p": "ArrayLike | None",
    "frequency": "ArrayLike | None", "blocks": "ArrayLike | None", "ld_blocks": "str | PathLike[str] | None",
    "validation": "tuple[Any, Any] | None", "shrink": "float",
    "loss": "str", "refit": "bool", "split": "ArrayLike | None", "check_input": "bool", "Xy": "None", "coef_init": "None", "return_n_iter": "bool",
}
EXCEPTIONS = {("SummaryLasso", "n"): "float | ArrayLike | None",
              ("LassoPath", "l1_ratio"): "float | Sequence[float]",
              ("PoissonLassoPath", "l1_ratio"): "float | Sequence[float]",
              ("LogisticRegressionPath", "l1_ratio"): "float | Sequence[float]",
              ("ElasticNetCV", "l1_ratio"): "float | Sequence[float]", ("MatrixFactorization", "alpha"): "float | None",
              ("ImplicitFactorization", "alpha"): "float | None",
              ("LatentDirichletAllocation", "n_components"): "int",
              ("LinearSVC", "dual"): "bool | str", ("LinearSVC", "penalty"): "str",
              ("LogisticRegressionCV", "l1_ratio"): "float | Sequence[float]",
              ("PoissonLassoCV", "l1_ratio"): "float | Sequence[float]"}
RETURNS = {"coef": "NDArray[np.float64]", "predict": "NDArray[Any]", "predict_proba": "NDArray[np.float64] | list[NDArray[np.float64]]",
           "predict_log_proba": "NDArray[np.float64] | list[NDArray[np.float64]]",
           "decision_function": "NDArray[np.float64]", "score": "float", "perplexity": "float", "transform": "NDArray[np.float64]", "get_feature_names_out": "NDArray[Any]", "plot": "Any", "sparsify": "Self", "densify": "Self", "recommend": "tuple[Any, Any]", "similar_items": "tuple[Any, Any]", "similar_users": "tuple[Any, Any]", "evaluate": "pd.DataFrame", "save": "None", "load": "Self",
           "__call__": "bool", "close": "None", "__enter__": "Self", "__exit__": "None", "__init__": "None", "__len__": "int",
           "__getitem__": "Self"}
ARRAYS = "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]"
RETURNS_OF_CLASS = {("LassoPath", "predict"): "NDArray[Any] | list[NDArray[Any]]",
                    ("PoissonLassoPath", "predict"): "NDArray[Any] | list[NDArray[Any]]",
                    ("LogisticRegressionPath", "predict"): "NDArray[Any] | list[NDArray[Any]]",
                    ("LogisticRegressionPath", "decision_function"): "NDArray[np.float64] | list[NDArray[np.float64]]"}
FUNCTIONS = {"lasso_path": ARRAYS, "enet_path": ARRAYS}
HEAD = '''"""Made by python/tests/make_stubs.py."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
import pandas as pd
import scipy.sparse
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

Callback = Callable[[Mapping[str, Any]], bool | None]
__version__: str
'''
ATTRIBUTES = {
    **{name: {one: kind for one, (kind, _, _) in {**_docs.MORE_ATTRIBUTES.get(name, {}), **attributes}.items()}
       for name, attributes in _docs.ATTRIBUTES.items()},
    "Convergence": {"events": "list[dict[str, Any]]"}, "WithCovariates": {"X": "Any", "covariates": "Any", "offset": "Any"},
}


def parameter(cls, one):
    kind = EXCEPTIONS.get((cls.__name__, one.name), TYPES.get(one.name, "Any"))
    if one.kind is one.VAR_KEYWORD:
        kind = "Any"
    text = {one.VAR_KEYWORD: "**", one.VAR_POSITIONAL: "*"}.get(one.kind, "") + f"{one.name}: {kind}"
    return text + (" = ..." if one.default is not one.empty else "")


def method(cls, name, function):
    parts, star = ["self"], False
    for one in list(inspect.signature(function).parameters.values())[1:]:
        if one.kind is one.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(parameter(cls, one))
    returns = "Self" if name == "fit" else RETURNS_OF_CLASS.get((cls.__name__, name), RETURNS.get(name, "Any"))
    return f"    def {name}({', '.join(parts)}) -> {returns}: ..."


def function_stub(name, function):
    parts, star = [], False
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(parameter(function, one))
    return f"def {name}({', '.join(parts)}) -> {FUNCTIONS[name]}: ..."


def stub_of(cls):
    if inspect.isfunction(cls):
        return function_stub(cls.__name__, cls)
    bases = [base.__name__ for base in cls.__mro__[1:]
             if base.__name__ in ("BaseEstimator", "ClassifierMixin", "RegressorMixin", "TransformerMixin", "ValueError", "RuntimeError", "UserWarning")]
    lines = [f"class {cls.__name__}({', '.join(bases)}):" if bases else f"class {cls.__name__}:"]
    lines += [f"    {name}: {kind}" for name, kind in ATTRIBUTES.get(cls.__name__, {}).items()]
    own = [base for base in cls.__mro__ if base.__module__.startswith("strads")]
    seen = set()
    for base in own:
        for name, function in vars(base).items():
            if name in seen or (name.startswith("_") and name not in ("__init__", "__call__", "__len__", "__enter__", "__exit__", "__getitem__")):
                continue
            seen.add(name)
            if isinstance(function, property):
                kind = {"coefs_": "NDArray[np.float64]", "sparse_coef_": "scipy.sparse.csr_matrix", "shape": "tuple[int, int]", "log": "list[str]",
                        "node_processes": "list[int]"}.get(name, "pd.DataFrame")
                lines += ["    @property", f"    def {name}(self) -> {kind}: ..."]
            elif isinstance(function, classmethod):
                lines += ["    @classmethod", method(cls, name, function.__func__).replace("(self", "(cls", 1)]
            elif inspect.isfunction(function):
                lines.append(method(cls, name, function))
    return "\n".join(lines if len(lines) > 1 else [lines[0] + " ..."])


def text():
    classes = [getattr(strads, name) for name in sorted(strads.__all__)]
    return HEAD + "\n" + "\n\n".join(stub_of(cls) for cls in classes) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as out:
            out.write(text())
    else:
        print(text(), end="")
