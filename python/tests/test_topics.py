"""Topic models: scikit-learn's conventions, the bits of the program, and topics that are there."""

import json
import pathlib
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import strads
from support import PROGRAMS

ONE = {"n_jobs": 1, "random_state": 1}


class Rounded(strads.LatentDirichletAllocation):
    """For scikit-learn's checks, whose numbers are no counts: whole numbers are made of them."""

    def _counts(self, x):
        if scipy.sparse.issparse(x):
            rows = scipy.sparse.csr_matrix(x, dtype=np.float64, copy=True)
            rows.data = np.ceil(rows.data)
            return rows
        return np.ceil(np.asarray(x, dtype=np.float64))


def counts(documents=60, seed=0):
    """Two topics of four words each."""
    random = np.random.default_rng(seed)
    means = np.where(np.arange(documents)[:, None] % 2 == np.arange(8)[None, :] // 4, 4.0, 0.1)
    return random.poisson(means)


class Conventions(unittest.TestCase):
    def test_scikit_learns_checks(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            failed = {}
            for candidate, check in check_estimator(Rounded(3, max_iter=5, **ONE), generate_only=True):
                name = getattr(check, "func", check).__name__
                try:
                    check(candidate)
                except unittest.SkipTest:
                    pass
                except Exception as error:  # all of them are shown together
                    failed[name] = f"{type(error).__name__}: {error}"
        self.assertEqual(failed, {})

    def test_clone_pickle_and_pipeline(self):
        model = strads.LatentDirichletAllocation(2, doc_topic_prior=0.1, **ONE)
        self.assertEqual(clone(model).get_params(), model.get_params())
        fitted = model.fit(counts())
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.transform(counts()), fitted.transform(counts()))
        texts = ["ape bee ape", "bee ape bee ape", "cat dog cat", "dog cat dog dog"] * 5
        shares = make_pipeline(CountVectorizer(), clone(model)).fit_transform(texts)
        self.assertEqual(shares.shape, (20, 2))

    def test_parameters_are_checked(self):
        for wrong in ({"n_components": 0}, {"doc_topic_prior": 0.0}, {"topic_word_prior": -1.0}, {"max_iter": 0}):
            with self.assertRaises(strads.UsageError):
                strads.LatentDirichletAllocation(**wrong).fit(counts())


class Topics(unittest.TestCase):
    def test_are_those_that_documents_were_made_of(self):
        x = counts()
        model = strads.LatentDirichletAllocation(2, doc_topic_prior=0.1, **ONE).fit(x)
        np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1, rtol=1e-5)
        shares = model.transform(x)
        np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
        first = shares[0].argmax()
        self.assertTrue((shares.argmax(axis=1) == np.where(np.arange(60) % 2 == 0, first, 1 - first)).all())
        self.assertLess(model.perplexity(counts(seed=1)), 6)
        self.assertAlmostEqual(model.score(x) / model.score(x), 1)

    def test_components_are_counts_and_the_prior(self):
        x = counts()
        model = strads.LatentDirichletAllocation(3, topic_word_prior=0.5, **ONE).fit(x)
        tokens = model.components_ - 0.5
        np.testing.assert_array_equal(tokens, np.round(tokens))
        np.testing.assert_array_equal(tokens.sum(axis=0), x.sum(axis=0))
        np.testing.assert_allclose(model.components_ / model.components_.sum(axis=1, keepdims=True), model.topic_word_,
                                   rtol=1e-5)

    def test_are_the_same_of_sparse_and_dense_counts_and_of_any_threads(self):
        x = counts()
        model = strads.LatentDirichletAllocation(2, **ONE)
        dense = model.fit(x)
        for other in (scipy.sparse.csr_matrix(x), scipy.sparse.csc_matrix(x), x.astype(np.float32)):
            self.assertEqual(clone(model).fit(other).model_hash_, dense.model_hash_)
        self.assertEqual(strads.LatentDirichletAllocation(2, n_jobs=2, random_state=1).fit(x).model_hash_, dense.model_hash_)

    def test_have_the_bits_of_the_program(self):
        x = scipy.sparse.csr_matrix(counts())
        with tempfile.TemporaryDirectory() as folder:
            scipy.sparse.save_npz(folder + "/x.npz", x)
            subprocess.run([PROGRAMS / "lda", "fit", "--corpus", folder + "/x.npz", "--topics", "2", "--sweeps", "20", "--quiet",
                            "--out", folder + "/run"], check=True)
            summary = json.loads(pathlib.Path(folder, "run/summary.json").read_text(encoding="utf-8"))
            theirs = np.load(folder + "/run/phi.npy")
        ours = strads.LatentDirichletAllocation(2, max_iter=20, **ONE).fit(x)
        self.assertEqual(ours.model_hash_, summary["model_hash"])
        np.testing.assert_array_equal(ours.topic_word_, theirs)

    def test_of_a_corpus_in_a_file_have_its_words(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "corpus.txt")
            path.write_text("ape bee ape\nbee ape bee\ncat dog\ndog cat dog\n" * 5, encoding="utf-8")
            model = strads.LatentDirichletAllocation(2, **ONE).fit(path)
        self.assertEqual(model.words_, ["ape", "bee", "cat", "dog"])
        self.assertEqual(model.components_.shape, (2, 4))


class Files(unittest.TestCase):
    def test_a_model_that_was_saved_is_the_same(self):
        x = counts()
        model = strads.LatentDirichletAllocation(2, doc_topic_prior=0.1, options={"optimise": True}, **ONE).fit(x)
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder + "/model")
            with self.assertRaisesRegex(strads.UsageError, "force=True"):
                model.save(folder + "/model")
            model.save(folder + "/model", force=True)
            again = strads.LatentDirichletAllocation.load(folder + "/model")
            scipy.sparse.save_npz(folder + "/x.npz", scipy.sparse.csr_matrix(x))
            said = subprocess.run([PROGRAMS / "lda", "evaluate", "--model", folder + "/model", "--corpus", folder + "/x.npz"],
                                  check=True, capture_output=True, text=True).stdout
        for name in ("components_", "topic_word_", "doc_topic_", "doc_topic_prior_", "topic_word_prior_", "n_iter_", "converged_",
                     "model_hash_", "log_joint_per_token_", "words_", "stop_reason_"):
            np.testing.assert_array_equal(getattr(again, name), getattr(model, name), name)
        np.testing.assert_array_equal(again.transform(x), model.transform(x))
        self.assertEqual(again.get_params()["n_components"], 2)
        self.assertIn(f"perplexity  {model.perplexity(x):.6g} by", said)

    def test_a_folder_without_a_model_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(strads.InputError, "lda fit"):
                strads.LatentDirichletAllocation.load(folder)

    def test_documents_for_testing_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            scipy.sparse.save_npz(folder + "/test.npz", scipy.sparse.csr_matrix(counts(seed=1)))
            model = strads.LatentDirichletAllocation(2, doc_topic_prior=0.1, options={"test": folder + "/test.npz"}, **ONE)
            self.assertEqual(model.fit(counts()).held_out_perplexity_, model.perplexity(counts(seed=1)))


class Refusals(unittest.TestCase):
    def refused(self, x, text):
        with self.assertRaisesRegex(strads.InputError, text):
            strads.LatentDirichletAllocation(2, **ONE).fit(x)

    def test_what_are_no_counts(self):
        x = counts().astype(float)
        x[3, 5] = -1
        self.refused(x, "Negative values in data passed to LatentDirichletAllocation")
        x[3, 5] = 0.5
        self.refused(x, "count 0.5, expected a whole number")
        x[3, 5] = np.nan
        self.refused(x, "contains NaN")
        self.refused(np.zeros((3, 4)), "hold no word")


if __name__ == "__main__":
    unittest.main()
