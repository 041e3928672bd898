"""What the programs say, in Python's words: parameters for options of the command line, numbers that count from 0."""

import re
from inspect import signature

from . import _strads
from ._errors import InputError, StradsError, UsageError

# option -> parameter, of estimators that have it; of all others it is a key of `options`.
_COMMON = {
    "l1-ratio": "l1_ratio", "nonnegative": "positive", "tolerance": "tol", "max-rounds": "max_iter", "threads": "n_jobs",
    "seed": "random_state", "lambda-min-ratio": "eps", "early-end": "early_end", "measure": "scoring", "folds": "cv",
    "center": "fit_intercept", "center-y": "fit_intercept", "intercept": "fit_intercept", "scale": "scale",
    "early-stopping": "early_stopping", "solver": "solver", "bias": "bias", "cost": "C", "loss": "loss",
    "class-weights": "class_weight",
}
_OF_PENALTY = {
    "alpha": {"lambda": "alpha", "lambda-ratio": "alpha", "lambdas": "n_alphas", "lambda-file": "alphas"},
    "C": {"lambda": "C", "lambda-ratio": "C", "lambdas": "Cs", "lambda-file": "Cs"},
}
_OF_FACTORIZATION = {"rank": "n_components", "sweeps": "max_iter", "alpha0": "alpha0", "nu": "nu", "confidence": "confidence",
                     "positive-from": "positive_from"}
_OF_SUMMARY = {"shrink": "shrinks", "lambda": "alphas", "lambdas": "n_alphas", "sumstats": "sumstats", "n": "n",
               "ld-blocks": "ld_blocks", "validate-bfile": "validation", "validate-pfile": "validation"}
_OF_TOPICS = {"topics": "n_components", "sweeps": "max_iter", "alpha": "doc_topic_prior", "beta": "topic_word_prior"}
# Options that are arguments of fit() and predict().
_ARGUMENTS = {
    "covar": "covariates", "covar-name": "covariates", "weights": "sample_weight", "offset": "offset",
    "penalty-factors": "penalty_factors", "y": "y", "pheno": "y", "x": "X", "ratings": "X",
    "bfile": "strads.Bed", "pfile": "strads.Pgen", "split": "split",
}
_PHRASES = [
    (r"\s*\([^()]*--(?:help|help-all|dry-run)\b[^()]*\)", ""),
    (r"\boption --(?=[a-z])", "--"),
    (r"--center on and --center-y on", "fit_intercept=True"),
    (r"--center off and --center-y off", "fit_intercept=False"),
    (r"--intercept off needs --center off", "fit_intercept=False"),
    (r"(goes|go) with --family binomial or poisson", r"\1 with LogisticRegression, PoissonLasso and those named after them"),
    (r"fit a number with --family gaussian", "fit numbers with Lasso"),
    (r"(goes|go) with --family binomial", r"\1 with LogisticRegression and LogisticRegressionCV"),
    (r"--family binomial fits logistic regression", "LogisticRegression is for two classes"),
    (r"of --family binomial\b|--family binomial\b", "LogisticRegression"),
    (r"of --family poisson\b|--family poisson\b", "PoissonLasso"),
    (r"\bthe command's\b", "the program's"),
    (r"\btrait (?=')", "response "),
]
# Command lines of other programs stay what they are.
_COMMAND_LINE = re.compile(r"(\bplink2? -[^,;()]*|\b(?:stradsd|squeue) -[^,;()]*)")
# The words of each penalty.
_WORDS = {
    "alpha": [(r"\blambda_max\b", "the largest alpha"), (r"\blambda (\d+)\b(?!\.)", lambda m: f"alphas_[{int(m[1]) - 1}]"),
              (r"\blambdas\b", "alphas"), (r"\blambda\b", "alpha")],
    "C": [(r"\blambda_max\b", "the largest 1 / C"), (r"\blambda (\d+)\b(?!\.)", lambda m: f"Cs_[{int(m[1]) - 1}]"),
          (r"\blambdas\b", "values of C"), (r"\blambda (?==|\d)", "1 / C "), (r"\blambda\b", "C")],
}
_NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_PLACES = re.compile(r"\b(row|column|entry|variable|variant|sample|fold) (\d+)\b(?! of the \.)")
_LISTS_VARIABLES = r"by what has no penalty: |count as constant: "
_STOPS = {"max_rounds": "max_iter"}


def _choices():
    """Words that an option may be followed by: option -> set."""
    words = {}
    for facts in (_strads.options_of("fit"), _strads.options_of("path"), _strads.options_of("cv"),
                  _strads.options_of_factorization(), _strads.options_of_topics(), _strads.options_of_support_vectors(),
                  _strads.options_of_summary()):
        for option in facts:
            words.setdefault(option["name"], set()).update(option["choices"])
    return words


_CHOICES = _choices()
_OPTION = re.compile(r"--([a-z0-9]+(?:-[a-z0-9]+)*)(?:[ =](" + _NUMBER + r"|[a-z0-9]+|[A-Z][A-Z|]*(?:\.\.\.)?)(?![\w.]))?")


def _assigned(parameter, option, value):
    if value in ("on", "off"):
        return f"{parameter}={value == 'on'}"
    if parameter == "C" and option == "lambda":
        return f"C={1 / float(value):g}" if float(value) != 0 else "C=inf"
    return f"{parameter}={value if re.fullmatch(_NUMBER, value) else repr(value)}"


def in_python(text, estimator, in_memory=True):
    """`text` of a program for the user of `estimator`. `in_memory`: rows and columns are those of arrays, from 0."""
    parameters = estimator.get_params(deep=False)
    penalty = "C" if "C" in parameters or "Cs" in parameters else "alpha"
    names = {**_COMMON, **_OF_PENALTY[penalty], **(_OF_TOPICS if "doc_topic_prior" in parameters else _OF_FACTORIZATION if "n_components" in parameters else {})}
    names = {option: name for option, name in names.items() if name in parameters or name in ("alpha", "C")}
    if "shrinks" in parameters:
        names.update(_OF_SUMMARY)
    if "n_components" in parameters:
        names.pop("lambda-ratio", None)

    def option(match):
        name, value = match[1], match[2]
        rest = ""
        known = value is not None and (value in ("on", "off") or re.fullmatch(_NUMBER, value) or
                                       value in _CHOICES.get(name, ()))
        if value is not None and not known and not value.isupper():
            value, rest = None, " " + value  # the sentence goes on
        elif value is not None and not known:
            value = None  # FILE, K: what the command line has there
        if name in names:
            return (_assigned(names[name], name, value) if value is not None else names[name]) + rest
        if name in _ARGUMENTS and (name != "split" or "split" in signature(estimator.fit).parameters):
            return _ARGUMENTS[name] + (f"={value}" if value is not None else "") + rest
        key = name.replace("-", "_")
        if value is None:
            return f"option {key!r}" + rest
        return f"options={{{key!r}: {value if re.fullmatch(_NUMBER, value) else repr(value)}}}" + rest

    for phrase, instead in _PHRASES:
        text = re.sub(phrase, instead, text)
    parts = _COMMAND_LINE.split(text)
    text = "".join(part if k % 2 else _OPTION.sub(option, part) for k, part in enumerate(parts))
    for word, instead in _WORDS[penalty]:
        text = re.sub(word, instead, text)
    if in_memory:
        text = _named_columns(text, estimator)
        text = _PLACES.sub(lambda match: f"{match[1]} {max(0, int(match[2]) - 1)}", text).replace("\0", " ")
    return text


def _named_columns(text, estimator):
    """Columns of an array have their number, from 1, for a name: where a text lists variables they get that of the table,
    or count from 0."""
    if not re.search(_LISTS_VARIABLES, text):
        return text
    names = getattr(estimator, "feature_names_in_", None)

    def name(match):
        column = int(match[1]) - 1
        return f"column {column}" if names is None or not 0 <= column < len(names) else repr(str(names[column]))

    # Numbers that _PLACES is to leave alone are marked until it has passed.
    return re.sub(r"'(\d+)'", lambda match: name(match).replace("column ", "column\0"), text)


def stop_reason(reason):
    """Why a fit ended, by the parameter where it was one."""
    return _STOPS.get(reason, reason)


def translated(error, estimator, in_memory=True):
    """`error`, where it is one of the programs, with its text in Python's words."""
    if type(error) in (UsageError, InputError, StradsError):
        return type(error)(in_python(str(error), estimator, in_memory))
    return error
