"""Topics of documents: latent Dirichlet allocation with scikit-learn's names."""

import json
import os
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _strads
from ._base import StradsEstimator, seed_of, threads_of
from ._data import option_list
from ._errors import ConvergenceWarning, InputError, UsageError, outside
from ._model_files import parameters_of, said
from ._texts import in_python, stop_reason, translated

# Options that are parameters.
_PARAMETERS = {"topics": ("n_components", int), "alpha": ("doc_topic_prior", float), "beta": ("topic_word_prior", float),
               "sweeps": ("max_iter", int), "seed": ("random_state", int)}
_SWEEPS = 100  # over the tokens of a document whose topics are asked for


class LatentDirichletAllocation(TransformerMixin, StradsEstimator):
    """Topics of documents by latent Dirichlet allocation: every token has a topic, drawn by collapsed Gibbs sampling. X holds
    counts of words, whole numbers. None is the program's own default, which for doc_topic_prior is 50 / n_components."""

    def __init__(self, n_components=10, *, doc_topic_prior=None, topic_word_prior=None, max_iter=None, n_jobs=None,
                 random_state=None, callback=None, options=None):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.options = options

    def fit(self, X, y=None):
        """Learns the topics.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_documents, n_words), counts of words, as
            sklearn.feature_extraction.text.CountVectorizer gives them; or the path of a corpus, as `lda fit --corpus` takes it.
        y : ignored.

        Returns
        -------
        self
        """
        for name in [one for one in vars(self) if (one.endswith("_") and not one.startswith("_")) or one in ("_seed", "_labels",
                                                                                                       "_dtype")]:
            delattr(self, name)
        self._check_parameters()
        is_file = isinstance(X, (str, os.PathLike))
        rows = None if is_file else self._rows(X, True)
        self._seed = seed_of(self.random_state)
        options = {"topics": self.n_components, "alpha": self.doc_topic_prior, "beta": self.topic_word_prior,
                   "sweeps": self.max_iter, "threads": threads_of(self.n_jobs), "seed": self._seed,
                   **({"corpus": os.fspath(X)} if is_file else {}), **(self.options or {})}
        try:
            result = _strads.fit_topics(option_list(options), rows, self.callback)
        except (ValueError, RuntimeError) as error:
            raise translated(error, self, not is_file) from None
        self._keep(result, is_file)
        if result["error"] is not None:
            raise result["error"]
        if not result["converged"]:
            warnings.warn(f"LatentDirichletAllocation: ended early ({self.stop_reason_}); the topics so far are kept",
                          ConvergenceWarning, stacklevel=outside())
        return self

    def _keep(self, result, is_file):
        self.components_ = result["components"]
        self.topic_word_ = result["phi"]
        self.doc_topic_ = result["theta"]
        self.doc_topic_prior_ = result["alpha"]
        self.topic_word_prior_ = float(result["beta"])
        self.words_ = [word.decode("utf-8", "replace") for word in result["words"]] if is_file else None
        self.n_features_in_ = self.components_.shape[1]
        self.n_iter_ = max(1, int(result["sweeps"]))
        self.log_joint_per_token_ = float(result["log_joint_per_token"])
        self.held_out_perplexity_ = float(result["held_out_perplexity"])
        self.model_hash_, self.config_ = result["model_hash"], result["config"]
        self.stop_reason_ = stop_reason(result["stop_reason"])
        self.converged_ = bool(result["converged"])
        self.notes_ = [in_python(note, self, not is_file) for note in result["notes"]]

    def _rows(self, X, reset):
        """(starts, words, counts, number of words)."""
        if isinstance(X, (str, os.PathLike)):
            raise InputError("X: found a path, expected counts; a corpus in a file is for fit() and for `lda infer`")
        x = self._check_x(X, reset)
        rows = scipy.sparse.csr_matrix(self._counts(x))
        if rows is x and not rows.has_canonical_format:
            rows = rows.copy()
        rows.sum_duplicates()
        if not np.isfinite(rows.data).all():
            raise InputError("X: Input X contains NaN or infinity, expected counts of words")
        if rows.nnz and rows.data.min() < 0:
            raise InputError("X: Negative values in data passed to LatentDirichletAllocation, expected counts of words")
        return rows.indptr.astype(np.uint64), rows.indices.astype(np.uint32), rows.data.astype(np.float64), rows.shape[1]

    def _counts(self, x):
        return x

    def _topics(self, rows):
        seed = 1 if self._seed is None else self._seed
        return self.topic_word_, self.doc_topic_prior_, seed, _SWEEPS, threads_of(self.n_jobs) or 0, rows

    def _asked(self, function, X):
        check_is_fitted(self)
        rows = self._rows(X, False)
        try:
            return function(*self._topics(rows))
        except (ValueError, RuntimeError) as error:
            raise translated(error, self) from None

    def transform(self, X):
        """Shares of topics of documents, by Gibbs sampling with the topics of the fit as they are. A document has the same
        answer each time, in any company.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_documents, n_words), counts of words.

        Returns
        -------
        ndarray of float64 of shape (n_documents, n_components), rows sum to 1
        """
        return self._asked(_strads.infer_topics, X).astype(np.float64)

    def score(self, X, y=None):
        """Natural log likelihood of one half of the tokens of documents, given topics that were inferred from the other half
        (document completion).

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_documents, n_words), counts of words.
        y : ignored.

        Returns
        -------
        float
        """
        return float(self._asked(_strads.completion, X)[0])

    def perplexity(self, X):
        """exp(-score(X) / tokens that were asked for): the smaller the better; of words that are all as probable their number.

        Parameters
        ----------
        X : array or scipy.sparse matrix of shape (n_documents, n_words), counts of words.

        Returns
        -------
        float
        """
        likelihood, tokens = self._asked(_strads.completion, X)
        return float(np.exp(-likelihood / tokens)) if tokens else np.nan

    def save(self, directory, force=False):
        """Writes the model into a folder, as `lda fit --out` does, without the names of documents: `lda infer`, `lda evaluate`
        and load() read it. force: a finished run there is replaced."""
        check_is_fitted(self)
        if not isinstance(force, (bool, np.bool_)):
            raise UsageError(f"save: force must be True or False. Got {force!r} instead.")
        # What names a file of the fit, nobody need have any more.
        config = "".join(line + "\n" for line in self.config_.splitlines() if not line.startswith(("corpus =", "test =")))
        facts = {"components": self.components_, "alpha": self.doc_topic_prior_, "beta": self.topic_word_prior_,
                 "theta": self.doc_topic_, "words": self.words_ or [], "log_joint_per_token": self.log_joint_per_token_,
                 "held_out_perplexity": self.held_out_perplexity_, "sweeps": self.n_iter_, "stop_reason": self.stop_reason_,
                 "converged": self.converged_, "model_hash": self.model_hash_, "config": config}
        try:
            _strads.save_topics(os.fspath(directory), bool(force), facts)
        except (ValueError, RuntimeError) as error:
            raise said(error, self) from None

    @classmethod
    def load(cls, directory):
        """The model in a folder that `lda fit --out` or save() wrote. Its parameters are those of the fit."""
        try:
            facts = _strads.load_topics(os.fspath(directory))
        except (ValueError, RuntimeError) as error:
            raise said(error, cls()) from None
        model = cls(**parameters_of(facts["config"], _strads.options_of_topics(), _PARAMETERS, ("corpus", "test")))
        summary = json.loads(facts["summary"])
        figures = {name: np.nan if summary.get(name) is None else summary[name]
                   for name in ("log_joint_per_token", "held_out_perplexity")}
        model._seed = model.random_state
        numbers = [str(k + 1).encode() for k in range(len(facts["words"]))]
        model._keep({**facts, **figures, "sweeps": summary.get("sweeps", 1), "model_hash": summary.get("model_hash", ""),
                     "stop_reason": summary.get("stop_reason", ""), "converged": summary.get("finished", True), "notes": []},
                    facts["words"] != numbers)
        return model

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of transform(): the class and the number of the topic."""
        check_is_fitted(self)
        return np.array([f"latentdirichletallocation{k}" for k in range(len(self.components_))], dtype=object)

    def _more_tags(self):
        return {"requires_positive_X": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags
