"""Covariates by name, with scorers and searches of scikit-learn; numbers that are none; the precision of coefficients."""

import pathlib
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse
from scipy.special import expit
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate, learning_curve

import strads
from support import GENOTYPES, problem


class Together(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(0)
        self.x, y = problem(features=20)
        self.table = pd.DataFrame({"age": random.normal(50, 10, size=60), "sex": np.arange(60) % 2,
                                   "pc1": random.normal(size=60)})
        self.y = y + 0.3 * self.table.age.to_numpy() - 2 * self.table.sex.to_numpy()
        self.classes = random.uniform(size=60) < expit(self.x[:, 0] + (self.table.age.to_numpy() - 50) / 20)
        self.other = self.table[["pc1", "age", "sex"]]


class ByName(Together):
    def test_columns_in_another_order_are_the_same_ones(self):
        for estimator, y in ((strads.Lasso(0.1), self.y), (strads.LassoPath(n_alphas=4), self.y),
                             (strads.LassoCV(n_alphas=4, cv=3), self.y)):
            fitted = estimator.fit(self.x, y, covariates=self.table)
            expected = fitted.predict(self.x, covariates=self.table)
            np.testing.assert_array_equal(fitted.predict(self.x, covariates=self.other), expected)
            if hasattr(fitted, "score"):
                self.assertEqual(fitted.score(self.x, y, covariates=self.other), fitted.score(self.x, y, covariates=self.table))
        fitted = strads.LogisticRegression(0.5).fit(self.x, self.classes, covariates=self.table)
        for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            method = getattr(fitted, name)
            np.testing.assert_array_equal(method(self.x, covariates=self.other), method(self.x, covariates=self.table))
        self.assertEqual(fitted.score(self.x, self.classes, covariates=self.other),
                         fitted.score(self.x, self.classes, covariates=self.table))

    def test_of_genotypes_on_disk(self):
        x, random = strads.Bed(GENOTYPES / "chr2-eur"), np.random.default_rng(0)
        table = pd.DataFrame({"a": random.normal(size=503), "b": random.normal(50, 10, size=503)})
        fitted = strads.Lasso(0.15, scale=True).fit(x, random.normal(size=503) + table.b, covariates=table)
        np.testing.assert_array_equal(fitted.predict(x, covariates=table[["b", "a"]]), fitted.predict(x, covariates=table))
        with self.assertRaisesRegex(strads.InputError, "covariates: a: row 5 is nan"):
            fitted.predict(x, covariates=table.assign(a=np.where(np.arange(503) == 5, np.nan, 1.0)))

    def test_missing_unknown_and_repeated_names_are_refused(self):
        fitted = strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table)
        with self.assertRaisesRegex(strads.UsageError, "missing: sex"):
            fitted.predict(self.x, covariates=self.table[["age", "pc1"]])
        with self.assertRaisesRegex(strads.UsageError, "missing: age; not seen in the fit: Age"):
            fitted.predict(self.x, covariates=self.table.rename(columns={"age": "Age"}))
        with self.assertRaisesRegex(strads.UsageError, "not seen in the fit: more"):
            fitted.predict(self.x, covariates=self.table.assign(more=1.0))
        with self.assertRaisesRegex(strads.UsageError, "'age' is there twice"):
            fitted.predict(self.x, covariates=self.table[["age", "sex", "pc1", "age"]])
        with self.assertRaisesRegex(strads.UsageError, "'age' is there twice"):
            strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table[["age", "age"]])
        with self.assertRaisesRegex(strads.InputError, "'sex' is no column of numbers, found 'male'"):
            strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table.assign(sex="male"))

    def test_arrays_go_by_position_and_are_counted(self):
        fitted = strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table)
        with self.assertWarnsRegex(UserWarning, "no names, but the fit had some"):
            found = fitted.predict(self.x, covariates=self.table.to_numpy())
        np.testing.assert_array_equal(found, fitted.predict(self.x, covariates=self.table))
        with self.assertRaisesRegex(strads.UsageError, "found 2, expected the 3 of the fit, in their order: age, sex, pc1"):
            fitted.predict(self.x, covariates=self.table.to_numpy()[:, :2])
        unnamed = strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table.to_numpy())
        self.assertEqual(unnamed.covariate_names_, ["covariate0", "covariate1", "covariate2"])
        with self.assertWarnsRegex(UserWarning, "names, but the fit had none"):
            unnamed.predict(self.x, covariates=self.table)

    def test_numbers_of_pandas_and_one_column(self):
        table = self.table.assign(sex=pd.array(self.table.sex, dtype="Int64"), pc1=self.table.pc1 > 0)
        expected = strads.Lasso(0.1).fit(self.x, self.y, covariates=table.astype(float))
        self.assertEqual(strads.Lasso(0.1).fit(self.x, self.y, covariates=table).beta_hash_, expected.beta_hash_)
        one = strads.Lasso(0.1).fit(self.x, self.y, covariates=self.table.age)
        self.assertEqual(one.covariate_names_, ["age"])
        np.testing.assert_array_equal(one.predict(self.x, covariates=self.table[["age"]]),
                                      one.predict(self.x, covariates=self.table.age))


class ColumnsOfX(unittest.TestCase):
    """By name where the fit and a prediction have names, else refused or said, in memory and in files."""

    def setUp(self):
        self.x, self.y = problem(features=5)
        self.table = pd.DataFrame(self.x, columns=list("abcde"))
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, table):
        path = f"{self.folder.name}/{len(list(pathlib.Path(self.folder.name).iterdir()))}.csv"
        table.to_csv(path, index=False)
        return strads.File(path)

    def fits(self, x):
        classes = self.y > np.median(self.y)
        return [strads.Lasso(0.01).fit(x, self.y), strads.LogisticRegression(10.0).fit(x, classes),
                strads.LassoPath(alphas=[1.0, 0.01]).fit(x, self.y), strads.LassoCV(n_alphas=4, cv=3).fit(x, self.y)]

    def predicted(self, fitted, x):
        return fitted.decision_function(x) if hasattr(fitted, "decision_function") else fitted.predict(x)

    def test_a_fit_of_a_file_finds_them_in_a_table(self):
        for fitted in self.fits(self.file(self.table)):
            with self.assertWarnsRegex(UserWarning, "fitted without feature names"):
                right = self.predicted(fitted, self.table)
            np.testing.assert_allclose(self.predicted(fitted, self.x), right, rtol=1e-12)
            for columns in (list("bacde"), list("edcba"), list("zabcde"), list("bcde")):
                with self.assertRaisesRegex(ValueError, "X: column . was '.' in the fit, found"):
                    self.predicted(fitted, self.table.assign(z=0)[columns])

    def test_a_fit_of_a_table_finds_them_in_a_file(self):
        for fitted in self.fits(self.table):
            right = self.predicted(fitted, self.table)
            for columns in (list("abcde"), list("edcba"), list("zebcda")):
                found = self.predicted(fitted, self.file(self.table.assign(z=0)[columns]))
                np.testing.assert_allclose(found, right, rtol=1e-9)
            with self.assertWarnsRegex(UserWarning, "1 of the model's . variables are absent: training mean used") as caught:
                self.predicted(fitted, self.file(self.table[list("bcde")]))
            self.assertEqual((len(caught.warnings), caught.filename), (1, __file__))
            with self.assertRaisesRegex(strads.InputError, "none of the model's"):
                self.predicted(fitted, self.file(self.table.add_prefix("x")))
            with self.assertRaisesRegex(strads.InputError, "two columns are called 'a'"):
                self.predicted(fitted, self.file(pd.concat([self.table, self.table[["a"]]], axis=1)))
            np.save(self.folder.name + "/x.npy", self.x)
            with self.assertWarnsRegex(UserWarning, "columns here have none: matched by column number"):
                found = self.predicted(fitted, strads.File(self.folder.name + "/x.npy"))
            np.testing.assert_allclose(found, right, rtol=1e-9)

    def test_a_fit_of_a_file_finds_them_in_another_one(self):
        for fitted in self.fits(self.file(self.table)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                right = self.predicted(fitted, self.file(self.table))
                np.testing.assert_array_equal(self.predicted(fitted, self.file(self.table[list("dbace")])), right)

    def test_a_fit_of_an_array_says_that_a_file_has_names(self):
        fitted = strads.Lasso(0.01).fit(self.x, self.y)
        with self.assertWarnsRegex(UserWarning, "the model's variables have none: matched by column number"):
            np.testing.assert_allclose(fitted.predict(self.file(self.table)), fitted.predict(self.x), rtol=1e-9)

    def test_labels_that_are_numbers_stand_where_they_stood(self):
        numbered = pd.DataFrame(self.x)
        for table in (numbered, numbered.set_axis([10, 11, 12, 13, 14], axis=1),
                      numbered.set_axis(pd.MultiIndex.from_product([["a"], range(5)]), axis=1)):
            for fitted in self.fits(table):
                np.testing.assert_array_equal(self.predicted(fitted, table), self.predicted(fitted, self.x))
                with self.assertRaisesRegex(strads.InputError, "X: column 0 was .* in the fit, found"):
                    self.predicted(fitted, table.iloc[:, ::-1])
                other = table.set_axis(range(20, 25), axis=1)  # others, by position as in scikit-learn
                np.testing.assert_array_equal(self.predicted(fitted, other), self.predicted(fitted, self.x))


class WithScikitLearn(Together):
    def test_searches_and_scores_see_them_together_with_x(self):
        whole = strads.WithCovariates(self.x, self.table)
        search = GridSearchCV(strads.Lasso(), {"alpha": [0.05, 5.0]}, cv=3).fit(whole, self.y)
        self.assertEqual(search.best_params_, {"alpha": 0.05})
        self.assertEqual(search.best_estimator_.covariate_names_, ["age", "sex", "pc1"])
        np.testing.assert_array_equal(search.predict(whole), search.best_estimator_.predict(self.x, covariates=self.other))
        rows = np.r_[20:60]
        one = strads.Lasso(0.05).fit(self.x[rows], self.y[rows], covariates=self.table.iloc[rows])
        expected = one.score(self.x[:20], self.y[:20], covariates=self.table[:20])
        for x in (self.x, scipy.sparse.csc_matrix(self.x), pd.DataFrame(self.x).add_prefix("v")):
            scores = cross_val_score(strads.Lasso(0.05), strads.WithCovariates(x, self.table), self.y, cv=3)
            self.assertAlmostEqual(scores[0], expected, places=6)
        scores = cross_val_score(strads.Lasso(0.05), whole, self.y, cv=3, scoring=make_scorer(mean_absolute_error))
        self.assertTrue(np.isfinite(scores).all())
        _, train, test = learning_curve(strads.Lasso(0.05), whole, self.y, cv=3, train_sizes=[0.5, 1.0])
        self.assertTrue(np.isfinite(train).all() and np.isfinite(test).all())

    def test_offsets_too(self):
        offset = np.random.default_rng(1).normal(size=60)
        whole = strads.WithCovariates(self.x, self.table[["pc1"]], offset)
        found = cross_val_predict(strads.LogisticRegression(0.1), whole, self.classes, cv=3, method="predict_proba")
        self.assertEqual(found.shape, (60, 2))
        scores = cross_validate(strads.LogisticRegression(0.1), whole, self.classes, cv=3, scoring=["roc_auc", "neg_log_loss"])
        self.assertTrue(np.isfinite(scores["test_roc_auc"]).all() and np.isfinite(scores["test_neg_log_loss"]).all())
        fitted = strads.LogisticRegression(0.1).fit(whole, self.classes)
        self.assertEqual(fitted.beta_hash_, strads.LogisticRegression(0.1).fit(
            self.x, self.classes, covariates=self.table[["pc1"]], offset=offset).beta_hash_)
        with self.assertRaisesRegex(strads.UsageError, "offset are given twice"):
            strads.LogisticRegression(0.1).fit(whole, self.classes, offset=offset)

    def test_scorers_that_would_not_see_them_are_refused(self):
        for more in ({"covariates": self.table}, {"offset": np.zeros(60)}):
            for score in (lambda: cross_val_score(strads.LogisticRegression(), self.x, self.classes, cv=3, fit_params=more),
                          lambda: GridSearchCV(strads.LogisticRegression(), {"C": [0.1, 1.0]}, cv=3, scoring="roc_auc").fit(
                              self.x, self.classes, **more)):
                with self.assertRaisesRegex(ValueError, "strads.WithCovariates"):
                    score()

    def test_a_scorer_of_ones_own_that_has_them_works(self):
        table = pd.DataFrame(self.x).add_prefix("v")
        scores = cross_val_score(strads.Lasso(0.05), table, self.y, cv=3, fit_params={"covariates": self.table},
                                 scoring=lambda one, x, y: one.score(x, y, covariates=self.table.loc[x.index]))
        expected = cross_val_score(strads.Lasso(0.05), strads.WithCovariates(table, self.table), self.y, cv=3)
        np.testing.assert_allclose(scores, expected, rtol=1e-9)

    def test_weights_of_samples_are_split(self):
        weights = np.arange(1.0, 61)
        scores = cross_val_score(strads.Lasso(0.05), self.x, self.y, cv=3, fit_params={"sample_weight": weights})
        one = strads.Lasso(0.05).fit(self.x[20:], self.y[20:], weights[20:])
        self.assertAlmostEqual(scores[0], one.score(self.x[:20], self.y[:20]), places=9)

    def test_data_on_disk_cannot_be_searched_by_rows(self):
        with self.assertRaisesRegex(strads.UsageError, "is on disk and has no rows to choose from"):
            GridSearchCV(strads.Lasso(), {"alpha": [0.1, 1.0]}).fit(strads.Bed(GENOTYPES / "chr2-eur"), np.arange(503.0))

    def test_rows_have_to_be_as_many(self):
        with self.assertRaisesRegex(strads.InputError, "covariates: found 59 rows, expected 60"):
            strads.WithCovariates(self.x, self.table[:59])


class NoNumbers(Together):
    def test_in_what_is_predicted_they_are_errors(self):
        for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
            wrong = self.x.copy()
            wrong[7, 3] = value
            for x in (wrong, np.ascontiguousarray(wrong), scipy.sparse.csc_matrix(wrong), scipy.sparse.csr_matrix(wrong),
                      scipy.sparse.lil_matrix(wrong), pd.DataFrame(wrong), wrong.astype(np.float32)):
                for estimator, y in ((strads.Lasso(1.0), self.y), (strads.LogisticRegression(0.2), self.classes),
                                     (strads.LassoPath(n_alphas=3), self.y), (strads.LassoCV(n_alphas=3, cv=3), self.y)):
                    fitted = estimator.fit(self.x, y)
                    with self.assertRaisesRegex(strads.InputError, f"X: row 7, column 3 is {word}"):
                        fitted.predict(x)
                    if hasattr(fitted, "predict_proba"):
                        with self.assertRaisesRegex(strads.InputError, f"X: row 7, column 3 is {word}"):
                            fitted.predict_proba(x)
        fitted = strads.LogisticRegression(0.2).fit(self.x, self.classes, covariates=self.table, offset=np.zeros(60))
        for value in (np.nan, np.inf):
            table = self.table.assign(age=np.where(np.arange(60) == 4, value, 40.0))
            with self.assertRaisesRegex(strads.InputError, f"covariates: age: row 4 is {value}"):
                fitted.predict(self.x, covariates=table, offset=np.zeros(60))
            with self.assertRaisesRegex(strads.InputError, f"offset: row 4 is {value}"):
                fitted.predict(self.x, covariates=self.table, offset=np.where(np.arange(60) == 4, value, 0.0))
        with self.assertRaisesRegex(strads.InputError, "offset: found 1 rows, expected 60"):
            fitted.predict(self.x, covariates=self.table, offset=[0.0])

    def test_where_the_fit_fills_in_means_so_does_a_prediction(self):
        missing = self.x.copy()
        missing[7, 3] = missing[2, 3] = missing[2, 0] = np.nan
        filled = np.where(np.isnan(missing), np.nanmean(missing, axis=0), missing)
        how = {"options": {"missing": "mean"}}
        for estimator, y in ((strads.Lasso(0.1, **how), self.y), (strads.LogisticRegression(1.0, **how), self.classes),
                             (strads.LassoPath(n_alphas=4, **how), self.y)):
            predict = "decision_function" if hasattr(estimator, "decision_function") else "predict"
            fitted = estimator.fit(missing, y)
            expected = getattr(fitted, predict)(filled)
            np.testing.assert_allclose(getattr(fitted, predict)(missing), expected, rtol=1e-12)
            np.testing.assert_allclose(getattr(fitted, predict)(scipy.sparse.csr_matrix(missing)), expected, rtol=1e-12)
            infinite = np.where(np.isnan(missing), np.inf, missing)
            with self.assertRaisesRegex(strads.InputError, "X: row 2, column 0 is infinity"):
                fitted.predict(infinite)

    def test_of_files_a_prediction_does_as_the_fit(self):
        missing = self.x.copy()
        missing[7, 3] = np.nan
        with tempfile.TemporaryDirectory() as folder:
            np.save(folder + "/x.npy", self.x)
            np.save(folder + "/missing.npy", missing)
            whole, wanting = strads.File(folder + "/x.npy"), strads.File(folder + "/missing.npy")
            fitted = strads.LogisticRegression(0.5).fit(whole, self.classes)
            with self.assertRaisesRegex(strads.InputError, "missing.npy: row 8, column 4: missing"):
                fitted.predict(wanting)
            fitted = strads.LogisticRegression(0.5, options={"missing": "mean"}).fit(wanting, self.classes)
            in_memory = strads.LogisticRegression(0.5, options={"missing": "mean"}).fit(missing, self.classes)
            np.testing.assert_allclose(fitted.decision_function(wanting), in_memory.decision_function(missing), rtol=1e-9)

    def test_a_table_of_covariates_that_lacks_one_is_no_shorter_prediction(self):
        x, random = strads.Bed(GENOTYPES / "chr2-eur"), np.random.default_rng(0)
        table = x.samples.assign(a=random.normal(size=503))
        with tempfile.TemporaryDirectory() as folder:
            table.to_csv(folder + "/whole", sep="\t", index=False)
            table.assign(a=np.where(np.arange(503) == 5, np.nan, table.a)).to_csv(folder + "/wanting", sep="\t", index=False,
                                                                                 na_rep="NA")
            fitted = strads.Lasso(0.2, scale=True).fit(strads.Bed(x.prefix, covar=folder + "/whole"), random.normal(size=503))
            predicted = fitted.predict(strads.Bed(x.prefix, covar=folder + "/wanting"))
            self.assertEqual(np.flatnonzero(np.isnan(predicted)).tolist(), [5])
            self.assertEqual(predicted.shape, (503,))
            classes = random.normal(size=503) > 0
            fitted = strads.LogisticRegression(0.02).fit(strads.Bed(x.prefix, covar=folder + "/whole"), classes)
            with self.assertRaisesRegex(strads.InputError, "X: row 5 takes no part"):
                fitted.predict(strads.Bed(x.prefix, covar=folder + "/wanting"))

    def test_classes_of_genotypes_may_be_missing(self):
        x = strads.Bed(GENOTYPES / "chr2-eur")
        y = (np.random.default_rng(0).normal(size=503) > 0).astype(float)
        y[:3] = np.nan
        weights = np.r_[np.zeros(3), np.ones(500)]
        fitted = strads.LogisticRegression(0.05).fit(x, y)
        self.assertEqual(fitted.beta_hash_, strads.LogisticRegression(0.05).fit(x, np.nan_to_num(y), weights).beta_hash_)


class Precision(Together):
    def test_coefficients_have_that_of_the_samples(self):
        for kind, expected in (("f4", np.float32), ("f8", np.float64), ("i1", np.float64)):
            x = self.x.astype(kind) if kind != "i1" else np.asfortranarray(np.round(self.x * 3), dtype=kind)
            for data in (x, scipy.sparse.csc_matrix(x)):
                for estimator, y in ((strads.Lasso(0.1), self.y), (strads.LogisticRegression(0.5), self.classes),
                                     (strads.LassoCV(n_alphas=3, cv=3), self.y),
                                     (strads.LogisticRegressionCV(Cs=3, cv=3), self.classes)):
                    fitted = estimator.fit(data, y)
                    self.assertEqual((fitted.coef_.dtype, np.asarray(fitted.intercept_).dtype), (expected, expected))
                self.assertEqual(strads.LassoPath(n_alphas=3).fit(data, self.y).coef_path_.dtype, expected)
                if kind == "f4":
                    self.assertEqual(strads.Lasso(0.1).fit(data, self.y).predict(data).dtype, np.float32)


if __name__ == "__main__":
    unittest.main()
