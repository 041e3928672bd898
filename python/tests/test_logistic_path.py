"""The path of two classes: every C, several responses and ratios, and a split."""

import tempfile
import unittest

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import accuracy_score, roc_auc_score

import strads
from support import GENOTYPES, problem, run_command

TWO_CLASSES = ["--family", "binomial", "--center", "on", "--intercept", "on", "--scale", "off", "--lambda-scale", "sample"]


def classes(samples=90, features=30):
    """X, a table of two responses with classes of their own, weights, offsets and labels of a split."""
    x, y = problem(samples=samples, features=features)
    random = np.random.default_rng(8)
    table = pd.DataFrame({"ill": np.where(y > np.median(y), "yes", "no"),
                          "smokes": (x[:, 0] + random.normal(size=samples) > 0).astype(int)})
    parts = np.array(["test" if i % 5 == 4 else "val" if i % 5 == 2 else "train" for i in range(samples)])
    return x, table, random.uniform(0.5, 2, samples), random.normal(size=samples) / 3, parts


class Paths(unittest.TestCase):
    def test_have_the_bits_of_the_command(self):
        x, y, weights, offset, _ = classes()
        coded = (y["ill"] == "yes").to_numpy().astype(float)
        path = strads.LogisticRegressionPath(Cs=12, l1_ratio=0.7).fit(x, y["ill"], weights, offset=offset)
        summary, _ = run_command("path", {"x": x, "y": coded, "weights": weights, "offset": offset}, *TWO_CLASSES, "--lambdas", "12",
                                 "--l1-ratio", "0.7")
        self.assertEqual(path.path_hash_, summary["path_hash"])
        self.assertEqual(path.classes_.tolist(), ["no", "yes"])

    def test_at_each_C_are_fits_at_it(self):
        x, y, weights, offset, _ = classes()
        for more in ({}, {"class_weight": "balanced"}, {"fit_intercept": False}, {"class_weight": {"yes": 3.0}}):
            path = strads.LogisticRegressionPath(Cs=6, tol=1e-11, **more).fit(x, y["ill"], weights, offset=offset)
            self.assertTrue((np.diff(path.Cs_) > 0).all())
            for k, C in enumerate(path.Cs_):
                alone = strads.LogisticRegression(C, tol=1e-11, **more).fit(x, y["ill"], weights, offset=offset)
                np.testing.assert_allclose(path.coefs_[:, k], alone.coef_[0], atol=2e-5)
                np.testing.assert_allclose(path.predict_proba(x, offset=offset)[:, :, k], alone.predict_proba(x, offset=offset),
                                           atol=2e-5)
                self.assertLess(path.dual_gaps_[k], 1e-8)
            links = path.decision_function(x, offset=offset)
            np.testing.assert_array_equal(path.predict(x, offset=offset), path.classes_[(links > 0).astype(int)])

    def test_take_Cs_with_their_own_bits_and_one_without_a_penalty(self):
        x, y, _, _, _ = classes(samples=200, features=4)
        given = [1 / 3, 0.1 + 1e-16, 7.0]
        self.assertEqual(strads.LogisticRegressionPath(Cs=given).fit(x, y["smokes"]).Cs_.tolist(), sorted(given))
        with self.assertWarnsRegex(UserWarning, "C=inf is logistic regression without a penalty"):
            path = strads.LogisticRegressionPath(Cs=[np.inf, 0.1], tol=1e-10).fit(x, y["smokes"])
            alone = strads.LogisticRegression(np.inf, tol=1e-10).fit(x, y["smokes"])
        self.assertEqual(path.Cs_.tolist(), [0.1, np.inf])
        np.testing.assert_allclose(path.coefs_[:, 1], alone.coef_[0], rtol=1e-6)

    def test_of_responses_and_ratios_are_each_alone(self):
        x, y, weights, offset, parts = classes()
        for split in (None, parts):
            several = strads.LogisticRegressionPath(Cs=5, l1_ratio=[1.0, 0.4])
            several.fit(x, y, weights, offset=offset, split=split)
            self.assertEqual([(one.response_, one.l1_ratio) for one in several.estimators_],
                             [("ill", 1.0), ("ill", 0.4), ("smokes", 1.0), ("smokes", 0.4)])
            self.assertEqual([one.tolist() for one in several.classes_], 2 * [["no", "yes"]] + 2 * [[0, 1]])
            predicted, shares = several.predict(x, offset=offset), several.predict_proba(x, offset=offset)
            for one, names, share in zip(several.estimators_, predicted, shares):
                alone = strads.LogisticRegressionPath(Cs=5, l1_ratio=one.l1_ratio)
                alone.fit(x, y[one.response_], weights, offset=offset, split=split)
                self.assertEqual(one.path_hash_, alone.path_hash_)
                np.testing.assert_array_equal(names, alone.predict(x, offset=offset))
                np.testing.assert_array_equal(share, alone.predict_proba(x, offset=offset))
            if split is not None:
                self.assertEqual([place // 2 for place in several.best_index_], [0, 1])

    def test_of_a_warm_start_each_has_its_own(self):
        x, y, _, _, _ = classes()
        path = strads.LogisticRegressionPath(Cs=4, l1_ratio=[1.0, 0.5], warm_start=True, tol=1e-10)
        cold = clone(path).fit(x, y)
        warm = path.fit(x, y).fit(x, y)
        for one, other in zip(warm.estimators_, cold.estimators_):
            self.assertTrue(any(note.startswith("warm start") for note in one.notes_), one.notes_)
            np.testing.assert_allclose(one.coefs_, other.coefs_, atol=1e-4)

    def test_that_an_exception_ends_keep_what_was_found(self):
        x, y, _, _, _ = classes()
        calls = []

        def stop(_):
            calls.append(1)
            if len(calls) > 12:
                raise ZeroDivisionError("enough")

        path = strads.LogisticRegressionPath(Cs=4, l1_ratio=[1.0, 0.5], callback=stop)
        with self.assertRaises(ZeroDivisionError):
            path.fit(x, y)
        self.assertEqual(path.estimators_[0].response_, "ill")

    def test_of_genotypes_on_disk_leave_out_who_has_no_class(self):
        x, y = strads.Bed(GENOTYPES / "chr2-eur"), (np.arange(503) % 3 == 0).astype(float)
        y[::7] = np.nan
        path = strads.LogisticRegressionPath(Cs=[0.02, 0.04], tol=1e-9).fit(x, y)
        for k, C in enumerate(path.Cs_):
            alone = strads.LogisticRegression(C, tol=1e-9).fit(x, y)
            np.testing.assert_allclose(path.coefs_[:, k], alone.coef_[0], atol=1e-4)

    def test_of_genotypes_on_disk_leave_out_whom_keep_leaves_out(self):
        y, kept = (np.arange(503) % 3 == 0).astype(float), np.arange(503) % 5 < 2
        weights = np.where(kept, 1.0, 3.0) * np.random.default_rng(4).uniform(0.5, 2, 503)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            people = (GENOTYPES / "chr2-eur.fam").read_text().splitlines()
            file.write("".join(" ".join(line.split()[:2]) + "\n" for line, own in zip(people, kept) if own))
            file.flush()
            of_kept = strads.Bed(GENOTYPES / "chr2-eur", keep=file.name)
            for given, without in ((None, kept.astype(float)), (weights, weights * kept)):
                path = strads.LogisticRegressionPath(Cs=[0.1, 0.2], tol=1e-9).fit(of_kept, y, given)
                same = strads.LogisticRegressionPath(Cs=[0.1, 0.2], tol=1e-9).fit(strads.Bed(GENOTYPES / "chr2-eur"), y, without)
                np.testing.assert_allclose(path.coefs_, same.coefs_, atol=1e-4)
                self.assertGreater(np.count_nonzero(path.coefs_), 0)

    def test_name_no_class_of_whom_has_no_covariate(self):
        people = [line.split()[:2] for line in (GENOTYPES / "chr2-eur.fam").read_text().splitlines()]
        y = (np.arange(503) % 3 == 0).astype(float)
        with tempfile.TemporaryDirectory() as folder:
            def genotypes(name, without):
                rows = "".join(f"{family}\t{own}\t{'NA' if row == without else row % 7}\n"
                               for row, (family, own) in enumerate(people))
                with open(f"{folder}/{name}", "w", encoding="ascii") as file:
                    file.write("FID\tIID\tage\n" + rows)
                return strads.Bed(GENOTYPES / "chr2-eur", covar=f"{folder}/{name}")

            whole, holes = genotypes("whole.tsv", None), genotypes("holes.tsv", 4)
            for estimator in (strads.LogisticRegression(0.03), strads.LogisticRegressionPath(Cs=[0.02, 0.04])):
                estimator.fit(whole, y)
                with self.assertRaisesRegex(strads.InputError, "X: row 4 takes no part, .* and has no class"):
                    estimator.predict(holes)
                self.assertTrue(np.isnan(estimator.decision_function(holes)[4]).all())

    def test_are_drawn_with_the_largest_penalty_left(self):
        import matplotlib

        matplotlib.use("Agg")
        x, y, _, _, _ = classes()
        axes = strads.LogisticRegressionPath(Cs=5).fit(x, y["ill"]).plot()
        self.assertEqual(axes.get_xlabel(), "C")
        self.assertLess(*axes.get_xlim())


class Split(unittest.TestCase):
    def test_has_the_bits_of_the_command(self):
        x, y, weights, _, parts = classes()
        path = strads.LogisticRegressionPath(Cs=8).fit(x, y["smokes"], weights, split=parts)
        with tempfile.TemporaryDirectory() as folder:
            pd.DataFrame({"part": parts}).to_csv(folder + "/parts.csv", index=False)
            summary, _ = run_command("path", {"x": x, "y": y["smokes"].to_numpy().astype(float), "weights": weights}, *TWO_CLASSES,
                                     "--lambdas", "8", "--split", folder + "/parts.csv")
        self.assertEqual(summary["path_hash"], path.path_hash_)
        self.assertEqual((summary["measure"], summary["chosen"]["index"] - 1), (path.measure_, path.chosen_))
        self.assertEqual(summary["refit"]["beta_hash"], path.best_estimator_.beta_hash_)
        self.assertEqual(summary["refit"]["test"]["deviance"], path.split_scores_["refit_test"]["deviance"])

    def test_is_a_path_of_those_who_train_and_a_fit_of_train_and_val(self):
        x, y, weights, offset, parts = classes()
        y = y["ill"].to_numpy()
        train, both, test = parts == "train", parts != "test", parts == "test"
        for Cs in (6, [0.05, 0.2, 0.4]):
            path = strads.LogisticRegressionPath(Cs=Cs, l1_ratio=0.8, tol=1e-11, early_end=False)
            path.fit(x, y, weights, offset=offset, split=parts)
            alone = clone(path).fit(x[train], y[train], weights[train], offset=offset[train])
            np.testing.assert_allclose(path.Cs_, alone.Cs_[:len(path.Cs_)], rtol=1e-9)
            np.testing.assert_allclose(path.coefs_, alone.coefs_[:, :len(path.Cs_)], atol=1e-5)
            best = path.best_estimator_
            self.assertIsInstance(best, strads.LogisticRegression)
            self.assertEqual(path.C_, path.Cs_[path.chosen_])
            # The same penalty per unit of weight: mean weights are those of who is fitted.
            shares = (weights[train].sum() / train.sum() * train.sum(), weights[both].sum())
            self.assertAlmostEqual(best.C * shares[1], path.C_ * shares[0])
            again = clone(best).fit(x[both], y[both], weights[both], offset=offset[both])
            np.testing.assert_allclose(best.coef_, again.coef_, atol=1e-5)
            self.assertLess(best.dual_gap_, 1e-8)
            scores = path.split_scores_["refit_test"]
            self.assertAlmostEqual(scores["auc"], roc_auc_score(y[test] == "yes", best.decision_function(x[test], offset=offset[test]),
                                                                sample_weight=weights[test]))
            self.assertAlmostEqual(scores["class"], 1 - accuracy_score(y[test], best.predict(x[test], offset=offset[test]),
                                                                       sample_weight=weights[test]))

    def test_balances_the_classes_of_those_who_train(self):
        x, y, _, _, parts = classes()
        y = y["ill"].to_numpy()
        train = parts == "train"
        counts = {name: train.sum() / (2 * np.sum(y[train] == name)) for name in ("no", "yes")}
        self.assertNotEqual(counts["no"], counts["yes"])
        balanced = strads.LogisticRegressionPath(Cs=4, class_weight="balanced").fit(x, y, split=parts)
        given = strads.LogisticRegressionPath(Cs=4, class_weight=counts).fit(x, y, split=parts)
        self.assertEqual(balanced.path_hash_, given.path_hash_)

    def test_is_refused_with_the_reason(self):
        x, y, _, _, parts = classes()
        with self.assertRaisesRegex(strads.UsageError, "leave inf out of Cs"), self.assertWarnsRegex(UserWarning, "C=inf"):
            strads.LogisticRegressionPath(Cs=[0.1, np.inf]).fit(x, y["ill"], split=parts)
        with self.assertRaisesRegex(strads.InputError, "split: found 5 labels, expected 90"):
            strads.LogisticRegressionPath().fit(x, y["ill"], split=parts[:5])
        with self.assertRaisesRegex(ValueError, "response 'same': y has samples of one class only"):
            strads.LogisticRegressionPath().fit(x, y.assign(same=1))


if __name__ == "__main__":
    unittest.main()
