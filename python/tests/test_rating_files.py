"""Models of files answer by the ids of the file; folders of `mf` and of Python are the same; splits of scikit-learn."""

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
from sklearn.model_selection import (GridSearchCV, GroupKFold, KFold, cross_val_predict, cross_val_score, cross_validate,
                                     learning_curve, train_test_split)

import strads
from support import PROGRAMS
from test_ratings import ITEMS, USERS, factors, triples


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.u, self.i, self.v = triples()
        self.frame = pd.DataFrame({"userId": self.u + 1, "movieId": self.i * 3 + 10**10, "rating": self.v})

    def write(self, name="r.csv", encoding="utf-8", user=lambda k: str(k + 1)):
        lines = [f"{user(u)},{i * 3 + 10**10},{v:g}\n" for u, i, v in zip(self.u, self.i, self.v)]
        path = self.folder / name
        path.write_bytes(("userId,movieId,rating\n" + "".join(lines)).encode(encoding))
        return str(path)

    def mf(self, *arguments):
        done = subprocess.run([str(PROGRAMS / "mf"), *map(str, arguments)], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def fit_by_command(self, path, out="out", *more):
        self.mf("fit", "--quiet", "--ratings", path, "--rank", "2", "--sweeps", "4", "--out", self.folder / out, *more)
        return self.folder / out


class IdsOfFiles(InFolder):
    def test_numbers_and_text_are_ids(self):
        fitted = strads.MatrixFactorization(2, max_iter=4).fit(self.write())
        self.assertEqual(fitted.item_ids_[0], str(self.i[0] * 3 + 10**10))  # in the order of the file
        user, item = self.u[3] + 1, self.i[3] * 3 + 10**10
        row, column = fitted.user_ids_.tolist().index(str(user)), fitted.item_ids_.tolist().index(str(item))
        want = np.clip(fitted.mean_ + fitted.user_bias_[row] + fitted.item_bias_[column] + fitted.user_factors_[row] @ fitted.item_factors_[column], 1, 5)
        for pairs in (([user], [item]), ([str(user)], [str(item)]), ([float(user)], [item]), [(user, item)], self.frame[3:4], ([str(user).encode()], [item])):
            np.testing.assert_allclose(fitted.predict(pairs), want, rtol=1e-6)
        best, _ = fitted.recommend(user, exclude=[item])
        self.assertTrue(set(best) <= set(fitted.item_ids_) - {str(item)})
        np.testing.assert_array_equal(best, fitted.recommend(str(user), exclude=[str(item)])[0])
        self.assertAlmostEqual(fitted.score(self.frame), fitted.score((self.frame.userId, self.frame.movieId, self.v)))
        with self.assertWarnsRegex(UserWarning, "1 have a user that the fit has not seen \\(0\\)"):
            fitted.predict(([0], [item]))

    def test_row_7_is_number_7_where_ids_have_hardly_a_gap(self):
        fitted = strads.MatrixFactorization(2, max_iter=4).fit(self.write())
        self.assertEqual(fitted.user_ids_.tolist(), [str(k) for k in range(USERS + 1)])
        self.assertEqual((fitted.user_counts_[0], np.abs(fitted.user_factors_[0]).max()), (0, 0))
        with self.assertRaisesRegex(strads.InputError, "unknown to the model"):
            fitted.recommend(0)
        for user in (lambda k: f"0{k + 1}", lambda k: str(2 * k + 1)):
            fitted = strads.MatrixFactorization(2, max_iter=4).fit(self.write(user=user))
            self.assertEqual(fitted.user_ids_.tolist(), list(dict.fromkeys(map(user, self.u))))

    def test_a_table_has_the_bits_of_the_file(self):
        """Ids decide which ratings are set aside for early stopping."""
        for user in (lambda k: str(k + 1), lambda k: f"üser {k:02}"):
            of_file = strads.MatrixFactorization(2, max_iter=4).fit(self.write(user=user))
            table = self.frame.assign(userId=[user(k) for k in self.u])
            of_table = strads.MatrixFactorization(2, max_iter=4).fit(table)
            self.assertEqual(of_table.model_hash_, of_file.model_hash_)
            self.assertEqual(of_table.rmse_validation_, of_file.rmse_validation_)
            np.testing.assert_array_equal(of_table.predict(table), of_file.predict(table))

    def test_ids_that_are_no_utf_8(self):
        user = lambda k: f"usér {k:02}"  # noqa: E731
        path = self.write(encoding="latin-1", user=user)
        fitted = strads.MatrixFactorization(2, max_iter=4).fit(path)
        self.assertIn("ids are no UTF-8: they are read as Latin-1", fitted.notes_)
        want = strads.MatrixFactorization(2, max_iter=4).fit(self.write("utf8.csv", user=user))
        self.assertEqual(set(fitted.user_ids_), set(want.user_ids_))
        item = [self.i[0] * 3 + 10**10]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(fitted.predict((["usér 03".encode("latin-1")], item)), fitted.predict((["usér 03"], item)))
        fitted.save(self.folder / "saved")
        pairs = self.folder / "pairs"
        pairs.write_bytes(f"usér 03,{item[0]}\n".encode("latin-1"))
        said = self.mf("predict", "--model", self.folder / "saved", "--pairs", pairs).split(b"\n")[1].split(b"\t")
        self.assertEqual(said[0].decode("latin-1"), "usér 03")
        self.assertAlmostEqual(float(said[2]), fitted.predict((["usér 03"], item))[0], places=5)
        self.assertEqual(strads.MatrixFactorization.load(self.folder / "saved").user_ids_.tolist(), fitted.user_ids_.tolist())


class Folders(InFolder):
    FILES = ("users.tsv", "items.tsv", "user_factors.npy", "item_factors.npy", "biases.npz")

    def test_what_python_saves_is_what_mf_writes(self):
        path = self.write()
        written = self.fit_by_command(path)
        for X in (path, self.frame, (self.frame.userId, self.frame.movieId, self.v)):
            fitted = strads.MatrixFactorization(2, max_iter=4).fit(X)
            fitted.save(self.folder / "saved", force=True)
            for name in self.FILES:
                self.assertEqual((self.folder / "saved" / name).read_bytes(), (written / name).read_bytes(), name)
            facts = [json.loads((folder / "summary.json").read_text()) for folder in (written, self.folder / "saved")]
            for name in ("model_hash", "train_rmse", "validation_rmse", "sweeps", "objective", "finished", "stop_reason"):
                self.assertEqual(facts[1][name], facts[0][name], name)
            self.assertTrue(fitted.score(self.frame) == strads.MatrixFactorization.load(self.folder / "saved").score(self.frame))

    def test_a_model_of_mf_answers_in_python_as_there(self):
        written = self.fit_by_command(self.write(), "out", "--holdout", "0.1", "--lambda", "0.2", "--patience", "7", "--seed", "5")
        model = strads.MatrixFactorization.load(written)
        self.assertEqual({name: model.get_params()[name] for name in ("n_components", "alpha", "max_iter", "random_state", "solver")},
                         {"n_components": 2, "alpha": 0.2, "max_iter": 4, "random_state": 5, "solver": "sgd"})
        self.assertEqual(model.options, {"holdout": "0.1", "patience": "7", "workers": "2"})
        summary = json.loads((written / "summary.json").read_text())
        self.assertEqual((model.model_hash_, model.rmse_test_), (summary["model_hash"], summary["test_rmse"]))
        self.assertEqual(clone(model).fit(self.frame).model_hash_, model.model_hash_)
        pairs = self.folder / "pairs.csv"
        self.frame[["userId", "movieId"]].assign(userId=np.where(np.arange(400) == 5, 999, self.frame.userId)).to_csv(pairs, index=False)
        said = pd.read_csv(self.folder / self.out_of("predict", written, "--pairs", pairs), sep="\t")
        with self.assertWarnsRegex(UserWarning, "of 400 pairs 1 have a user"):
            np.testing.assert_allclose(model.predict(said), said.prediction, rtol=1e-6)
        said = pd.read_csv(self.folder / self.out_of("recommend", written), sep="\t")
        rated = self.frame.movieId[self.frame.userId == 3]
        best, scores = model.recommend(3, exclude=rated)
        self.assertEqual(best.tolist(), said.item[said.user == 3].astype(str).tolist())
        np.testing.assert_allclose(np.clip(scores, *model.range_), said.prediction[said.user == 3], rtol=1e-6)
        self.assertEqual(pickle.loads(pickle.dumps(model)).score(self.frame), model.score(self.frame))

    def out_of(self, command, model, *more):
        self.mf(command, "--quiet", "--model", model, "--out", self.folder / f"{command}.tsv", *more)
        return f"{command}.tsv"

    def test_mf_reads_what_was_fitted_in_memory(self):
        fitted = strads.MatrixFactorization(2, max_iter=4).fit(self.frame)
        fitted.save(self.folder / "saved")
        said = pd.read_csv(self.folder / self.out_of("recommend", self.folder / "saved", "--ratings", self.write()), sep="\t")
        best, _ = fitted.recommend(3, exclude=self.frame.movieId[self.frame.userId == 3])
        self.assertEqual(said.item[said.user == 3].tolist(), best.tolist())
        done = subprocess.run([str(PROGRAMS / "mf"), "recommend", "--model", self.folder / "saved"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("lay in another program's memory", done.stderr)
        self.mf("fold-in", "--model", self.folder / "saved", "--ratings", self.write(), "--out", self.folder / "folded")
        self.assertEqual(np.count_nonzero(strads.MatrixFactorization.load(self.folder / "folded").user_counts_), USERS)

    def test_ratings_in_another_unit(self):
        u, i, v = self.u, self.i, self.v
        stars = strads.MatrixFactorization(2, max_iter=4, early_stopping=False).fit((u, i, v))
        self.assertEqual(stars.unit_, 1)
        errors = []
        for times, plus in ((40, 1000), (0.001, 0), (1e6, 0)):
            other = strads.MatrixFactorization(2, max_iter=4, early_stopping=False).fit((u, i, v * times + plus))
            self.assertNotEqual(other.unit_, 1)
            self.assertTrue(any("the ratings are divided by" in note for note in other.notes_))
            np.testing.assert_allclose(other.mean_, stars.mean_ * times + plus, rtol=1e-5)
            errors.append(other.rmse_train_ / times)
            # Stars are not divided, although their deviation is not quite 1: lambda weighs a little less there.
            np.testing.assert_allclose(errors[-1], stars.rmse_train_, rtol=0.08)
            residuals = (other.predict((u, i)) - plus) / times - v
            np.testing.assert_allclose(np.sqrt(np.mean(residuals**2)), errors[-1], rtol=0.05)
            other.save(self.folder / "unit", force=True)
            self.assertEqual(json.loads((self.folder / "unit" / "summary.json").read_text())["unit"], other.unit_)
            loaded = strads.MatrixFactorization.load(self.folder / "unit")
            self.assertEqual(loaded.unit_, other.unit_)
            np.testing.assert_array_equal(loaded.predict((u, i)), other.predict((u, i)))
        np.testing.assert_allclose(errors, errors[0], rtol=0.01)

    def test_rows_without_ratings_are_not_saved(self):
        entries = scipy.sparse.coo_matrix((self.v, (self.u * 2, self.i)), shape=(2 * USERS + 3, ITEMS))
        fitted = factors().fit(entries)
        fitted.save(self.folder / "saved")
        model = strads.MatrixFactorization.load(self.folder / "saved")
        self.assertEqual(len(model.user_ids_), USERS)
        self.assertEqual(model.predict(([4], [7])), fitted.predict(([4], [7])))

    def test_what_cannot_be_saved_or_loaded(self):
        fitted = factors().fit(self.frame)
        with self.assertRaisesRegex(ValueError, "not fitted"):
            factors().save(self.folder / "x")
        fitted.save(self.folder / "saved")
        with self.assertRaisesRegex(strads.UsageError, "^/.*finished run.*or force=True to"):
            fitted.save(self.folder / "saved")
        with self.assertRaisesRegex(ValueError, "no such folder; expected the folder that save\\(\\) or `mf fit` wrote"):
            strads.MatrixFactorization.load(self.folder / "nothing")
        damaged = self.folder / "saved" / "users.tsv"
        damaged.write_bytes(damaged.read_bytes().replace(b"\t", b" \t", 2))
        with self.assertRaisesRegex(strads.InputError, "users.tsv"):
            strads.MatrixFactorization.load(self.folder / "saved")

    def test_a_cluster_has_the_ids(self):
        with strads.Cluster(processes=2, threads=1) as cluster:
            for users in (self.frame.userId, [f"ü {k}" for k in self.u]):
                table = self.frame.assign(userId=users)
                self.assertEqual(factors(cluster=cluster).fit(table).model_hash_, factors().fit(table).model_hash_)
                factors(cluster=cluster, early_stopping=False).fit(table).save(self.folder / "saved", force=True)
                self.assertNotIn("ratings =", (self.folder / "saved" / "config.ini").read_text())  # that file is gone
                self.assertIs(strads.MatrixFactorization.load(self.folder / "saved").early_stopping, False)
            with self.assertRaisesRegex(strads.InputError, "blanks at an end"):
                factors(cluster=cluster).fit(self.frame.assign(userId=[f" {k}" for k in self.u]))


class Splits(InFolder):
    """Of a table a row is a rating. Rows of a matrix are users: those held out would be taken for others."""

    def setUp(self):
        super().setUp()
        self.pairs, self.matrix = np.c_[self.u, self.i], scipy.sparse.csr_matrix((self.v, (self.u, self.i)))
        self.mean_alone = np.std(self.v)
        warnings.simplefilter("ignore", UserWarning)  # a user whose ratings are all held out

    def test_tables_are_split_by_ratings(self):
        table = np.c_[self.pairs, self.v]
        shuffled = KFold(4, shuffle=True, random_state=0)
        for X, y in ((table, None), (self.frame, None), (self.pairs, self.v), (table.tolist(), None)):
            scores = cross_val_score(factors(), X, y, cv=shuffled)
            self.assertLess(-scores.mean(), 0.9 * self.mean_alone)
        search = GridSearchCV(factors(), {"alpha": [0.05, 50.0]}, cv=shuffled).fit(self.frame)
        self.assertEqual(search.best_params_, {"alpha": 0.05})
        self.assertEqual(len(search.predict(self.frame)), 400)
        scores = cross_validate(factors(), self.pairs, self.v, cv=4, scoring=["neg_root_mean_squared_error", "r2"], n_jobs=1)
        self.assertLess(-scores["test_neg_root_mean_squared_error"].mean(), 0.9 * self.mean_alone)
        predicted = cross_val_predict(factors(), self.pairs, self.v, cv=shuffled)
        self.assertLess(np.sqrt(np.mean((predicted - self.v) ** 2)), 0.9 * self.mean_alone)
        train, test = train_test_split(self.frame, random_state=0)
        self.assertLess(-factors().fit(train).score(test), 0.9 * self.mean_alone)
        self.assertTrue(np.isfinite(learning_curve(factors(), self.pairs, self.v, cv=shuffled, train_sizes=[0.5, 1.0])[2]).all())

    def test_matrices_are_refused(self):
        dense = self.matrix.toarray().astype(float)
        dense[dense == 0] = np.nan
        for X in (self.matrix, dense, pd.DataFrame(dense), (self.u, self.i, self.v)):
            for cv in (2, 3):
                for split in (lambda: cross_val_score(factors(), X, cv=cv), lambda: cross_validate(factors(), X, cv=cv, error_score="raise"),
                              lambda: GridSearchCV(factors(), {"alpha": [0.1, 1.0]}, cv=cv).fit(X), lambda: learning_curve(factors(), X, None, cv=cv, train_sizes=[1.0], error_score="raise")):
                    with self.assertRaisesRegex(ValueError, "scikit-learn splits by rows.*KFold|inconsistent"):
                        split()

    def test_folds_of_whole_users_are_refused_unless_meant(self):
        order = np.argsort(self.u, kind="stable")
        for by in (self.frame.iloc[order], self.frame.sort_values("movieId", kind="stable")):
            with self.assertRaisesRegex(ValueError, "consecutive rows of a sorted table hold out whole (users|items). Shuffle"):
                cross_val_score(factors(), by, cv=4)
            with self.assertRaisesRegex(ValueError, "Shuffle"):
                GridSearchCV(factors(), {"alpha": [0.1, 1.0]}, cv=4).fit(by)
            cross_val_score(factors(), by, cv=KFold(4, shuffle=True, random_state=0))
        scores = cross_val_score(factors(), self.pairs, self.v, groups=self.u, cv=GroupKFold(4))
        self.assertTrue(np.isfinite(scores).all())


if __name__ == "__main__":
    unittest.main()
