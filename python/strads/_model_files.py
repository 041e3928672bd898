"""A factorization as the folder of a run, and back: the files of `mf fit --out`, written and read by the program's own code."""

import configparser
import json
import os

import numpy as np

from . import _strads
from ._errors import InputError
from ._ids import decoded, encoding_of
from ._texts import stop_reason, translated

# Options that name files; and, of implicit feedback, what has one value there.
_LEFT_OUT = {"explicit": ("ratings", "test"),
             "implicit": ("ratings", "test", "feedback", "bias", "mean", "clip", "early-stopping", "relaxation", "regularization")}
_FIGURES = (("objective_", "objective"), ("rmse_train_", "train_rmse"), ("rmse_validation_", "validation_rmse"),
            ("rmse_test_", "test_rmse"))


# What the programs say of folders, as the arguments of save() and load().
_WORDS = (("mf fit --out wrote", "save() or `mf fit` wrote"), ("lda fit --out wrote", "save() or `lda fit` wrote"),
          ("or --force to", "or force=True to"), ("--out ", ""))


def said(error, model):
    text = str(error)
    for word, instead in _WORDS:
        text = text.replace(word, instead)
    return translated(type(error)(text), model, False)


def _config_to_write(model):
    """Without what names a file that nobody has any more."""
    if model._of_file:
        return model.config_
    return "".join(line + "\n" for line in model.config_.splitlines() if not line.startswith("ratings ="))


def save_model(model, directory, force):
    lowest, highest = getattr(model, "range_", (-np.inf, np.inf))
    facts = {"rank": model.user_factors_.shape[1], "mean": getattr(model, "mean_", 0.0), "lowest": lowest, "highest": highest,
             "unit": getattr(model, "unit_", 1.0),
             "stop_reason": "max_rounds" if model.stop_reason_ == "max_iter" else model.stop_reason_, "converged": model.converged_,
             "sweeps": model.n_iter_, "model_hash": model.model_hash_, "config": _config_to_write(model),
             **{name.rstrip("_"): getattr(model, name, np.nan) for name, _ in _FIGURES}}
    for name, side, order in (("user", model._users, model._orders[0]), ("item", model._items, model._orders[1])):
        biases = getattr(model, name + "_bias_", np.zeros(len(side), dtype=np.float32))
        facts[name + "s"] = {"ids": side.names(order), "factors": getattr(model, name + "_factors_")[order],
                             "biases": biases[order], "counts": getattr(model, name + "_counts_")[order]}
    try:
        _strads.save_factors(os.fspath(directory), bool(force), facts)
    except (ValueError, RuntimeError) as error:
        raise said(error, model) from None


def parameters_of(config, known, parameters, left_out):
    """Of a fit, from its config file: those that the estimator has, and options. known: the program's options; parameters: those
    that the estimator has; left_out: those that name files."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    parser.read_string(config)
    known = {option["name"]: option["default"] for option in known}
    given, options = {}, {}
    for section in parser.sections():
        for name, text in parser[section].items():
            if name in parameters:
                parameter, kind = parameters[name]
                given[parameter] = kind(text)
            elif name in known and name not in left_out and text != known[name]:
                options[name.replace("-", "_")] = text
    return {**given, "options": options or None}


def _expect_feedback(cls, config, directory):
    is_implicit = "feedback = implicit" in config.splitlines()
    if is_implicit != (cls._feedback == "implicit"):
        right = "ImplicitFactorization" if is_implicit else "MatrixFactorization"
        raise InputError(f"{os.fspath(directory)}: a model of {'choices' if is_implicit else 'ratings'}; load it by "
                         f"strads.{right}.load")


def _figure(summary, name):
    value = summary.get(name)
    return np.nan if value is None else float(value)


def load_model(cls, directory):
    try:
        facts = _strads.load_factors(os.fspath(directory))
    except (ValueError, RuntimeError) as error:
        raise said(error, cls()) from None
    _expect_feedback(cls, facts["config"], directory)
    model = cls(**cls._of_objective(parameters_of(facts["config"], _strads.options_of_factorization(), cls._file_parameters,
                                                  _LEFT_OUT[cls._feedback])))
    names = [facts[side]["ids"] for side in ("users", "items")]
    encoding = encoding_of(*names)
    model._users, model._items = decoded("users", names[0], encoding), decoded("items", names[1], encoding)
    model._of_file, model._by_number, model._shape = True, False, None
    model._keep_model(facts)
    summary = json.loads(facts["summary"])
    model._keep_figures({"config": facts["config"], "model_hash": summary.get("model_hash", ""),
                         **{attribute.rstrip("_"): _figure(summary, name) for attribute, name in _FIGURES}})
    model.n_iter_ = max(1, int(summary.get("sweeps", 1)))
    model.converged_ = bool(summary.get("finished", True))
    model.stop_reason_ = stop_reason(summary.get("stop_reason", ""))
    model.notes_ = []
    return model
