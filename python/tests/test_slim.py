"""Item weights: the command's bits, scikit-learn's solution, and lists and figures as the programs have them."""

import json
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import ElasticNet

import strads
from support import PROGRAMS


def choices(seed=1, users=80, items=30):
    """Chosen pairs of two tastes: (train, test), CSR of ones. The last column has no entry."""
    random = np.random.default_rng(seed)
    tastes = random.integers(0, 2, users)[:, None] == random.integers(0, 2, items)[None, :]
    chosen = random.uniform(size=(users, items)) < np.where(tastes, 0.5, 0.1)
    chosen[:, -1] = False
    held = chosen & (random.uniform(size=chosen.shape) < 0.2)
    return scipy.sparse.csr_matrix((chosen & ~held).astype(float)), scipy.sparse.csr_matrix(held.astype(float))


class ItemWeights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.train, self.test = choices()

    def run_mf(self, *words):
        done = subprocess.run([str(PROGRAMS / "mf"), *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_bits_lists_and_figures_as_the_commands(self):
        scipy.sparse.save_npz(self.folder / "train.npz", self.train)
        scipy.sparse.save_npz(self.folder / "test.npz", self.test)
        self.run_mf("fit", "--ratings", self.folder / "train.npz", "--solver", "slim", "--l1", 0.5, "--l2", 4, "--user-power", 0.5,
                    "--item-power", 0.25, "--quiet", "--out", self.folder / "out")
        model = strads.Slim(0.5, 4, user_power=0.5, item_power=0.25).fit(self.train)
        self.assertEqual(model.model_hash_, json.loads((self.folder / "out/summary.json").read_text())["model_hash"])
        np.savetxt(self.folder / "train.tsv", np.stack(self.train.nonzero(), axis=1), fmt="%d", delimiter="\t")
        np.savetxt(self.folder / "test.tsv", np.stack(self.test.nonzero(), axis=1), fmt="%d", delimiter="\t")
        self.run_mf("evaluate", "--model", self.folder / "out", "--ratings", self.folder / "train.npz", "--test",
                    self.folder / "test.tsv", "--at", "5,10", "--out", self.folder / "said", "--quiet")
        rows = pd.read_csv(self.folder / "said", sep="\t", float_precision="round_trip")
        table = model.evaluate(self.train, self.test, K=[10, 5])
        for row in rows.itertuples():
            self.assertEqual(table.loc[(row.k, row.ranked_by), row.metric], row.mean)
        model.save(self.folder / "saved")
        self.run_mf("evaluate", "--model", self.folder / "saved", "--ratings", self.folder / "train.npz", "--test",
                    self.folder / "test.tsv", "--at", "5,10", "--out", self.folder / "again", "--quiet")
        self.assertEqual((self.folder / "again").read_text(), (self.folder / "said").read_text())

    def test_a_folder_is_read_back_by_the_class_and_a_file_fitted_by_its_path(self):
        model = strads.Slim(0.5, 4, item_power=0.25, positive_from=0.5).fit(self.train)
        model.save(self.folder / "saved")
        loaded = strads.Slim.load(self.folder / "saved")
        self.assertEqual(loaded.model_hash_, model.model_hash_)
        self.assertEqual(loaded.n_features_in_, 30)  # one of which no user has
        for name in ("l1", "l2", "item_power", "positive_from"):
            self.assertEqual(loaded.get_params()[name], model.get_params()[name], name)
        self.assertEqual((loaded.item_weights_ != model.item_weights_).nnz, 0)
        pd.testing.assert_frame_equal(loaded.evaluate(self.train, self.test), model.evaluate(self.train, self.test))
        self.assertEqual(clone(loaded).fit(self.train).model_hash_, model.model_hash_)
        loaded.save(self.folder / "again")
        self.assertEqual((self.folder / "again/item_weights.npz").read_bytes(), (self.folder / "saved/item_weights.npz").read_bytes())
        scipy.sparse.save_npz(self.folder / "train.npz", self.train)
        self.assertEqual(clone(model).fit(self.folder / "train.npz").item_ids_.tolist(), list(range(30)))
        users, items = self.train.nonzero()
        lines = [f"u{user}\tfilm {item}\t1" for user, item in zip(users, items)]
        (self.folder / "pairs.tsv").write_text("user\titem\trating\n" + "\n".join(lines) + "\n")
        named = clone(model).fit(str(self.folder / "pairs.tsv"))
        self.assertEqual(named.model_hash_, model.model_hash_)
        columns = [int(name.split()[1]) for name in named.item_ids_]
        np.testing.assert_array_equal(named.item_weights_.toarray(), model.item_weights_[columns][:, columns].toarray())
        self.assertEqual(named.evaluate(self.train[:, columns], self.test[:, columns]).shape, (2, 9))
        named.save(self.folder / "named")
        self.assertEqual(strads.Slim.load(self.folder / "named").item_ids_.tolist(), named.item_ids_.tolist())
        strads.ImplicitFactorization(2, max_iter=2).fit(self.train).save(self.folder / "factors")
        with self.assertRaisesRegex(strads.InputError, "a model of factors; load it by strads.MatrixFactorization.load or"):
            strads.Slim.load(self.folder / "factors")

    def test_the_guide_s_example_runs_and_leaves_a_model_that_the_programs_read(self):
        root = pathlib.Path(__file__).parents[2]
        blocks = (root / "docs/GUIDE-ratings.md").read_text().split("```python\n")[1:]
        code = next(block.split("```")[0] for block in blocks if "strads.Slim(" in block)
        names = {}
        exec(code.replace("build/guide", str(self.folder)).replace('"tests/', f'"{root}/tests/'), names)
        self.assertEqual(names["again"].model_hash_, names["model"].model_hash_)
        self.assertEqual(len(names["films"]), 3)
        self.assertIn("\t", self.run_mf("recommend", "--model", self.folder / "slim", "--top", 1, "--quiet"))

    def test_each_item_is_the_elastic_net_of_scikit_learn_and_its_gap_is_that_of_numpy(self):
        l1, l2 = 0.7, 3.0
        model = strads.Slim(l1, l2, tol=1e-10).fit(self.train)
        dense = self.train.toarray()
        users = len(dense)
        for item in range(6):
            others = dense.copy()
            others[:, item] = 0
            peer = ElasticNet(alpha=(l1 + l2) / users, l1_ratio=l1 / (l1 + l2), positive=True, fit_intercept=False, tol=1e-13,
                              max_iter=100000).fit(others, dense[:, item])
            np.testing.assert_allclose(model.coef_[item].toarray()[0], peer.coef_, atol=2e-6)
            weights = model.item_weights_[:, item].toarray()[:, 0].astype(float)
            residual = dense[:, item] - others @ weights
            self.assertAlmostEqual(model.objectives_[item], (residual @ residual + l2 * weights @ weights) / 2 + l1 * weights.sum(),
                                   places=5)
            slope = others.T @ residual - l2 * weights
            gap = (l1 * weights - slope * weights).sum() + (np.maximum(np.delete(slope + l2 * weights, item) - l1, 0) ** 2).sum() / (
                2 * l2) - (l2 * weights @ weights) / 2
            self.assertLessEqual(abs(gap), 1e-5)
        self.assertTrue((model.relative_gaps_ <= 1e-10).all() and model.converged_)

    def test_lists_are_the_products_of_rows_and_weights_in_the_form_of_implicit(self):
        model = strads.Slim(0.5, 4).fit(self.train)
        scores = (self.train @ model.item_weights_).toarray()
        ids, said = model.recommend([3, 7], self.train[[3, 7]], N=6)
        self.assertEqual((ids.shape, said.shape), ((2, 6), (2, 6)))
        for user, of_user, values in zip((3, 7), ids, said):
            self.assertFalse(set(of_user) & set(self.train[user].indices))
            rest = np.delete(scores[user], self.train[user].indices)
            np.testing.assert_allclose(values, np.sort(rest)[::-1][:6], rtol=1e-5)
            np.testing.assert_allclose(values, scores[user][of_user], rtol=1e-5)
        one, _ = model.recommend(3, self.train[3], N=6)
        self.assertEqual(one.tolist(), ids[0].tolist())
        liked, _ = model.recommend(3, self.train[3], N=30, filter_already_liked_items=False)
        self.assertTrue(set(self.train[3].indices) <= set(liked))
        self.assertEqual(liked[-1], -1)  # 29 items are known
        few, _ = model.recommend(3, self.train[3], N=3, filter_already_liked_items=False, items=[1, 2], filter_items=[2])
        self.assertEqual(few.tolist(), [1, -1, -1])
        best, weights = model.similar_items(4, N=3)
        np.testing.assert_array_equal(weights, np.sort(model.item_weights_[4].data)[::-1][:3])
        np.testing.assert_array_equal(model.item_weights_[4].toarray()[0][best], weights)

    def test_is_an_estimator_and_refuses_in_the_words_of_python(self):
        with self.assertRaises(NotFittedError):
            strads.Slim().recommend(0, self.train[0])
        model = clone(strads.Slim(l1=0.5, user_power=0.5)).fit(self.train)
        self.assertEqual((model.get_params()["l1"], model.get_params()["l2"]), (0.5, None))
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.recommend([1], self.train[1])[0], model.recommend([1], self.train[1])[0])
        for X in (self.train.tocsc(), self.train.astype(np.float32), self.train.astype(np.int64)):
            self.assertEqual(clone(model).fit(X).model_hash_, model.model_hash_)
        with self.assertRaisesRegex(strads.UsageError, "The 'l2' parameter of Slim must be "):
            strads.Slim(l2=0).fit(self.train)
        with self.assertRaisesRegex(strads.InputError, "X: found ndarray, expected a scipy.sparse matrix"):
            strads.Slim().fit(self.train.toarray())
        with self.assertRaisesRegex(strads.InputError, "found 2 rows for 1 users"):
            model.recommend(0, self.train[:2])
        with self.assertRaisesRegex(strads.InputError, "found 3 columns, expected 30"):
            model.recommend(0, self.train[0, :3])
        with self.assertRaisesRegex(strads.InputError, "none is left to be found"):
            model.evaluate(self.train, self.train)

    def test_factors_of_choices_have_the_figures_of_the_command_too(self):
        for name, pairs in (("train", self.train), ("test", self.test)):
            np.savetxt(self.folder / name, np.stack(pairs.nonzero(), axis=1), fmt="%d", delimiter="\t")
        self.run_mf("fit", "--ratings", self.folder / "train", "--feedback", "implicit", "--rank", 4, "--sweeps", 5, "--tolerance", 0,
                    "--quiet", "--out", self.folder / "out")
        self.run_mf("evaluate", "--model", self.folder / "out", "--test", self.folder / "test", "--at", "5,10", "--out",
                    self.folder / "said", "--quiet")
        model = strads.ImplicitFactorization(4, max_iter=5, tol=0).fit(self.train)
        table = model.evaluate(self.train, self.test, K=[5, 10])
        for row in pd.read_csv(self.folder / "said", sep="\t", float_precision="round_trip").itertuples():
            self.assertEqual(table.loc[(row.k, row.ranked_by), row.metric], row.mean)
        ids, cosines = model.similar_items(4, N=3)
        one, others = model.item_factors_[4], model.item_factors_[ids]
        np.testing.assert_allclose(cosines, others @ one / np.linalg.norm(others, axis=1) / np.linalg.norm(one), rtol=1e-5)
        self.assertEqual(len(model.similar_users(4, N=3)[0]), 3)


if __name__ == "__main__":
    unittest.main()
