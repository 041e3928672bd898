"""Choices: the command's bits, lists that evaluate as there, and the forms in which people have pairs."""

import json
import pathlib
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone

import strads
from support import PROGRAMS


def choices(seed=1, users=80, items=50):
    """Distinct pairs of users and items, of two tastes, and how often each was chosen."""
    random = np.random.default_rng(seed)
    tastes = random.integers(0, 2, users)[:, None] == random.integers(0, 2, items)[None, :]
    row, column = np.nonzero(random.uniform(size=(users, items)) < np.where(tastes, 0.4, 0.05))
    return row, column, random.integers(1, 9, size=len(row)).astype(float)


class Choices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.users, self.items, self.counts = choices()
        held = np.random.default_rng(2).uniform(size=len(self.users)) < 0.2
        self.train, self.test = [(self.users[keep], self.items[keep], self.counts[keep]) for keep in (~held, held)]

    def run_mf(self, *words):
        done = subprocess.run([str(PROGRAMS / "mf"), *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def written(self, name, pairs, columns):
        path = self.folder / name
        np.savetxt(path, np.stack(pairs[:columns], axis=1), fmt="%d", delimiter="\t")
        return path

    def fit(self, **more):
        return strads.ImplicitFactorization(4, max_iter=6, tol=0, **more)

    def test_same_bits_as_the_command_for_every_solver_and_confidence(self):
        path = self.written("train.tsv", self.train, 3)
        for solver, confidence in (("als", "ones"), ("cd", "log"), ("cg", "linear")):
            out = self.folder / solver
            self.run_mf("fit", "--ratings", path, "--feedback", "implicit", "--rank", 4, "--sweeps", 6, "--tolerance", 0, "--solver",
                        solver, "--confidence", confidence, "--quiet", "--out", out)
            fitted = self.fit(solver=solver, confidence=confidence).fit(path)
            self.assertEqual(fitted.model_hash_, json.loads((out / "summary.json").read_text())["model_hash"])
            table = pd.DataFrame({"user": self.train[0], "item": self.train[1], "rating": self.train[2]})
            self.assertEqual(self.fit(solver=solver, confidence=confidence).fit(table[::-1]).n_iter_, 6)

    def test_pairs_in_every_form_are_the_same_pairs(self):
        users, items = self.users, self.items
        first = self.fit().fit((users, items))
        table = pd.DataFrame({"user": users, "movieId": items, "when": 5})
        matrix = scipy.sparse.coo_matrix((self.counts, (users, items)), shape=(80, 50))
        for X in ((users, items, self.counts), np.stack([users, items], axis=1), table, table.to_dict("list"), matrix,
                  list(zip(users.tolist(), items.tolist())), np.stack([users, items, self.counts], axis=1)):
            self.assertEqual(self.fit().fit(X).model_hash_, first.model_hash_, type(X))
        self.assertEqual(self.fit().fit(np.stack([users, items], axis=1), self.counts).model_hash_, first.model_hash_)
        twice = tuple(np.r_[one, one[:100]] for one in (users, items))
        self.assertEqual(self.fit().fit(twice).model_hash_, first.model_hash_)
        self.assertNotEqual(self.fit(confidence="linear").fit(twice).model_hash_, first.model_hash_)
        self.assertNotEqual(self.fit(positive_from=4).fit((users, items, self.counts)).model_hash_, first.model_hash_)

    def test_score_is_the_ndcg_of_mf_evaluate(self):
        # Ten items have a twin that the same users chose, and with it every score; the twin is what is held out.
        users, items, counts = self.train
        self.train = tuple(np.r_[one, one[items < 10]] for one in (users, items, counts))
        self.train[1][len(items):] += 50
        self.test = (self.test[0], np.where(self.test[1] < 10, self.test[1] + 50, self.test[1]), self.test[2])
        train, test = self.written("train.tsv", self.train, 2), self.written("test.tsv", self.test, 2)
        with open(test, "a", encoding="utf-8") as file:
            file.write("3\t999\n")  # an item that the fit has not seen: missed
        held_out = tuple(np.r_[one, more] for one, more in zip(self.test[:2], (3, 999)))
        self.run_mf("fit", "--ratings", train, "--feedback", "implicit", "--rank", 4, "--sweeps", 6, "--tolerance", 0, "--quiet",
                    "--out", self.folder / "out")
        self.run_mf("evaluate", "--model", self.folder / "out", "--test", test, "--at", 10, "--out", self.folder / "said", "--quiet")
        rows = pd.read_csv(self.folder / "said", sep="\t")
        fitted = self.fit().fit(self.train[:2])
        score = fitted.score(held_out, seen=self.train[:2], k=10)
        self.assertAlmostEqual(score, float(rows[(rows.ranked_by == "model") & (rows.metric == "ndcg")]["mean"].iloc[0]), places=12)
        self.assertLess(fitted.score(held_out, k=10), score)  # what was chosen before takes the first places

    def test_a_folder_is_read_by_the_class_that_wrote_it_and_by_mf(self):
        fitted = self.fit(nu=0.5, confidence="log", positive_from=2, random_state=3).fit((self.users, self.items, self.counts))
        fitted.save(self.folder / "saved")
        loaded = strads.ImplicitFactorization.load(self.folder / "saved")
        self.assertEqual(loaded.model_hash_, fitted.model_hash_)
        np.testing.assert_array_equal(loaded.item_factors_, fitted.item_factors_)
        for name in ("n_components", "alpha0", "nu", "confidence", "positive_from", "solver", "max_iter", "random_state"):
            value = fitted.get_params()[name]
            if value is not None:
                self.assertEqual(loaded.get_params()[name], value, name)
        self.assertEqual(clone(loaded).fit((self.users, self.items, self.counts)).model_hash_, fitted.model_hash_)
        self.assertIn("\t", self.run_mf("recommend", "--model", self.folder / "saved", "--ratings",
                                        self.written("all.tsv", (self.users, self.items), 2), "--top", 1))
        with self.assertRaisesRegex(strads.InputError, r"a model of choices; load it by strads\.ImplicitFactorization\.load"):
            strads.MatrixFactorization.load(self.folder / "saved")
        strads.MatrixFactorization(2, max_iter=2).fit((self.users, self.items, self.counts)).save(self.folder / "stars")
        with self.assertRaisesRegex(strads.InputError, r"a model of ratings; load it by strads\.MatrixFactorization\.load"):
            strads.ImplicitFactorization.load(self.folder / "stars")

    def test_learns_tastes_and_tells_what_it_does_not_know(self):
        fitted = pickle.loads(pickle.dumps(self.fit().fit(self.train[:2])))
        self.assertFalse({"user_bias_", "mean_", "rmse_train_"} & set(vars(fitted)))
        chosen = fitted.predict(self.test[:2]).mean()
        others = fitted.predict((self.test[0], np.random.default_rng(0).permutation(self.test[1]))).mean()
        self.assertGreater(chosen, others + 0.05)
        best, scores = fitted.recommend(3, n=5, exclude=self.train[1][self.train[0] == 3])
        self.assertFalse(set(best) & set(self.train[1][self.train[0] == 3]))
        np.testing.assert_allclose(scores, fitted.predict(([3] * 5, best)), rtol=1e-5)
        with self.assertWarnsRegex(UserWarning, "^ImplicitFactorization: of 1 pairs 1 have a user that the fit has not seen .*: their "
                                                "score is 0$"):
            self.assertEqual(fitted.predict(([999], [0])).tolist(), [0])

    def test_hus_rows_solve_the_papers_normal_equations(self):
        users, items, counts = self.users, self.items, self.counts
        c, p = np.ones((80, 50)), np.zeros((80, 50))
        c[users, items], p[users, items] = 1 + 2.5 * counts, 1
        for solver, sweeps, near in (("als", 3, 1e-4), ("cd", 300, 1e-2)):
            fitted = strads.ImplicitFactorization(4, objective="hu", alpha=2.5, regularization=0.7, solver=solver, max_iter=sweeps,
                                                  tol=0).fit((users, items, counts))
            x, y = (np.asarray(one, dtype=np.float64) for one in (fitted.user_factors_, fitted.item_factors_))
            x, y = x[np.argsort(fitted.user_ids_)], y[np.argsort(fitted.item_ids_)]
            expected = np.stack([np.linalg.solve((x.T * c[:, i]) @ x + 0.7 * np.eye(4), x.T @ (c[:, i] * p[:, i])) for i in range(50)])
            np.testing.assert_allclose(y, expected, atol=near * abs(expected).max())
            objective = (c * (p - x @ y.T) ** 2).sum() + 0.7 * ((x ** 2).sum() + (y ** 2).sum())
            self.assertLess(abs(fitted.objective_ / objective - 1), 1e-9)

    def test_hus_objective_has_the_bits_of_the_command_and_its_own_names(self):
        path, out = self.written("train.tsv", self.train, 3), self.folder / "hu"
        self.run_mf("fit", "--ratings", path, "--feedback", "implicit", "--objective", "hu", "--alpha", 3, "--lambda", 0.5, "--rank", 4,
                    "--sweeps", 6, "--tolerance", 0, "--quiet", "--out", out)
        fitted = self.fit(objective="hu", alpha=3, regularization=0.5).fit(path)
        self.assertEqual(fitted.model_hash_, json.loads((out / "summary.json").read_text())["model_hash"])
        self.assertEqual(self.fit(objective="hu", alpha=3, regularization=0.5, confidence="linear").fit(self.train).n_iter_, 6)
        loaded = strads.ImplicitFactorization.load(out)
        parameters = loaded.get_params()
        self.assertEqual([parameters[name] for name in ("objective", "alpha", "regularization", "reg", "alpha0", "nu")],
                         ["hu", 3, 0.5, None, None, None])
        self.assertEqual(clone(loaded).fit(path).model_hash_, fitted.model_hash_)
        for name, other in (("alpha", "alpha0"), ("regularization", "reg")):
            with self.assertRaisesRegex(strads.UsageError, f"'{name}' parameter .* must be None here.*objective='hu'.*{other}"):
                self.fit(**{name: 1.0}).fit(self.train)
        for name in ("reg", "alpha0", "nu"):
            with self.assertRaisesRegex(strads.UsageError, f"'{name}' parameter .* must be None here.*alpha.*regularization"):
                self.fit(objective="hu", **{name: 1.0}).fit(self.train)
        with self.assertRaisesRegex(strads.UsageError, "^nu does not go with objective='hu'.*alpha and regularization"):
            self.fit(objective="hu", options={"nu": 0.5}).fit(self.train)

    def test_what_does_not_fit_is_refused_in_the_words_of_python(self):
        with self.assertRaisesRegex(strads.UsageError, "The 'solver' parameter of ImplicitFactorization must be .*'als'"):
            self.fit(solver="sgd").fit((self.users, self.items))
        with self.assertRaisesRegex(strads.UsageError, "The 'solver' parameter of MatrixFactorization must be "):
            strads.MatrixFactorization(solver="slim").fit((self.users, self.items, self.counts))
        with self.assertRaisesRegex(strads.UsageError, "bias"):
            self.fit(options={"bias": "on"}).fit((self.users, self.items))
        with self.assertRaisesRegex(strads.InputError, "pairs: none"):
            self.fit().fit(([], []))
        fitted = self.fit().fit((self.users, self.items))
        with self.assertRaisesRegex(strads.UsageError, "k must be a whole number"):
            fitted.score((self.users, self.items), k=0)
        with self.assertRaisesRegex(strads.InputError, "no pair has a user"), warnings.catch_warnings():
            fitted.score(([999], [1]))


if __name__ == "__main__":
    unittest.main()
