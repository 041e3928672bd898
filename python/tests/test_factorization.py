"""Ratings: the command's bits, and the contract of the estimator."""

import json
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.sparse
from sklearn.base import clone

import strads
from support import PROGRAMS


def ratings(seed=1):
    random = np.random.default_rng(seed)
    users, items = random.integers(0, 80, size=2000), random.integers(0, 50, size=2000)
    truth = random.normal(size=(80, 3)) @ random.normal(size=(50, 3)).T
    values = np.round(np.clip(3 + truth[users, items], 1, 5))
    whole = scipy.sparse.coo_matrix((values, (users, items)), shape=(80, 50)).tocsr()
    counts = scipy.sparse.coo_matrix((np.ones(2000), (users, items)), shape=(80, 50)).tocsr()
    whole.data = np.round(whole.data / counts.data)
    return whole.tocoo()


class Factors(unittest.TestCase):
    def fit(self, **more):
        return strads.MatrixFactorization(4, n_jobs=1, max_iter=10, **more).fit(ratings())

    def test_same_bits_as_the_command(self):
        fitted = self.fit(options={"holdout": 0.1})
        with tempfile.TemporaryDirectory() as folder:
            scipy.sparse.save_npz(folder + "/r.npz", ratings())
            done = subprocess.run([str(PROGRAMS / "mf"), "fit", "--quiet", "--ratings", folder + "/r.npz", "--rank", "4",
                                   "--sweeps", "10", "--holdout", "0.1", "--out", folder + "/out"],
                                  capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            summary = json.loads(pathlib.Path(folder, "out", "summary.json").read_text())
        self.assertEqual(summary["model_hash"], fitted.model_hash_)

    def test_predicts_better_than_the_mean(self):
        fitted, known = self.fit(), ratings()
        self.assertGreater(fitted.score(known), -np.std(known.data))
        self.assertEqual(fitted.user_factors_.shape, (80, 4))
        predicted = fitted.predict((known.row, known.col))
        self.assertTrue(predicted.min() >= 1 and predicted.max() <= 5)

    def test_recommends_what_is_not_excluded(self):
        fitted = self.fit()
        best, scores = fitted.recommend(3, n=5)
        self.assertTrue(np.all(np.diff(scores) <= 0))
        self.assertNotIn(best[0], fitted.recommend(3, n=5, exclude=[best[0]])[0])

    def test_clone_pickle_and_triplets(self):
        fitted, known = self.fit(), ratings()
        self.assertEqual(clone(fitted).n_components, 4)
        self.assertEqual(pickle.loads(pickle.dumps(fitted)).model_hash_, fitted.model_hash_)
        again = clone(fitted).fit((known.row, known.col, known.data))
        self.assertEqual(again.model_hash_, fitted.model_hash_)

    def test_refuses_what_are_no_ratings(self):
        with self.assertRaisesRegex(strads.InputError, "entry 0 is missing"):
            strads.MatrixFactorization().fit(([0], [0], [np.nan]))
        with self.assertRaisesRegex(strads.InputError, "whole numbers"):
            strads.MatrixFactorization().fit(([0.5], [0], [1.0]))


if __name__ == "__main__":
    unittest.main()
