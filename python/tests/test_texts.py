"""What a user reads is in Python's words: no options of a command line, lambda is alpha or C, counting begins with 0."""

import re
import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse

import strads
from strads._texts import in_python
from support import GENOTYPES, problem


def said(run):
    """All texts of what `run` raises, warns of and notes."""
    texts = []
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            fitted = run()
            texts += getattr(fitted, "notes_", [])
        except (ValueError, RuntimeError) as error:
            texts.append(str(error))
    return texts + [str(one.message) for one in heard]


class Texts(unittest.TestCase):
    def everything(self):
        x, y = problem(samples=40, features=8)
        c = y > 0
        nan, big, constant = x.copy(), x.copy(), x.copy()
        nan[5, 3] = np.nan
        big[5, 3] = np.inf
        constant[:, 1] = 1e9 + 1e-4 * x[:, 1]
        factors = np.ones(8)
        factors[2] = -1
        gap = np.arange(40.0)
        gap[4] = np.inf
        bed = strads.Bed(GENOTYPES / "chr2-eur")
        lasso, logistic = strads.Lasso, strads.LogisticRegression
        separating = np.where(c, 1.0, 0.0)
        yield lambda: lasso(0.1).fit(nan, y), "X: row 5, column 3: missing value.*options={'missing': 'mean'}"
        yield lambda: lasso(0.1).fit(big, y), "X: row 5, column 3"
        yield lambda: lasso(0.1).fit(scipy.sparse.csc_matrix(nan), y), "X: row 5, column 3"
        yield lambda: lasso(0.1).fit(x, y, -np.ones(40)), "sample_weight|weights: the weight of row 0"
        yield lambda: lasso(0.1).fit(x, y, penalty_factors=factors), "penalty factors: that of column 2 is -1"
        yield lambda: lasso(0.1, positive=True).fit(x, y, penalty_factors=[0] + [1] * 7), "positive.*needs penalty factors above 0"
        yield lambda: lasso(0.1).fit(x, y, covariates=pd.DataFrame({"a": gap})), "a: entry 4 is infinite"
        yield lambda: lasso(0.1, options={"worker": 3}).fit(x, y), "unknown option 'worker'; did you mean option 'workers'"
        yield lambda: lasso(0.1, options={"out": "x"}).fit(x, y), "option 'out' belongs to the programs"
        yield lambda: lasso(0.1, options={"lambda_scale": "wide"}).fit(x, y), "option 'lambda_scale'"
        yield lambda: lasso(0.1, options={"split": "x"}).fit(x, y), "option 'split'"
        yield lambda: lasso(0.1).fit(constant, y), "count as constant: 1, the first is column 1"
        yield lambda: lasso(0.1).fit(pd.DataFrame(constant).add_prefix("v"), y), "count as constant: 1, the first is 'v1'"
        yield lambda: lasso(1e-9, tol=1e-16).fit(x, y), "Lasso: the tolerance 1e-16 was not met .* at alpha=1e-09"
        yield lambda: logistic(1e3, tol=1e-18).fit(x, c), "the tolerance 1e-18 was not met .* at C=1000"
        yield lambda: lasso(0.1, max_iter=1, tol=1e-12).fit(x, y), r"was not met \(max iter\)"
        yield lambda: strads.LassoPath(alphas=[0.1], max_iter=1, tol=1e-14).fit(x, y), "max iter"
        yield lambda: strads.LassoCV(cv=3, options={"measure": "auc"}).fit(x, y), "scoring='auc'|scoring auc"
        yield lambda: strads.LogisticRegressionCV(cv=8, Cs=3, scoring="auc").fit(x, c), "fewer than 10 samples a fold for scoring='auc'"
        yield lambda: logistic(1.0).fit(x, c, penalty_factors=np.r_[0, np.ones(7)], covariates=separating), "covariate0"
        yield lambda: logistic(1.0).fit(np.c_[x, separating], c, penalty_factors=np.r_[np.ones(8), 0]), "column 8"
        yield lambda: lasso(0.1).fit(strads.File("nowhere.npy"), y), "nowhere.npy"
        yield lambda: lasso(0.1).fit(strads.File("nowhere.npy")), "nowhere.npy"
        yield lambda: lasso(0.1).fit(strads.Bed("nowhere"), y), "nowhere"
        yield lambda: lasso(0.1).fit(strads.Bed(GENOTYPES / "chr2-eur", chr="99"), np.arange(503.0)), "99"
        yield lambda: lasso(0.1).fit(bed), "response|phenotype"
        yield lambda: lasso(0.1, options={"measure": "mse"}).fit(x, y), "option 'measure'"
        yield lambda: strads.MatrixFactorization(2, options={"rates": 1}).fit(([0], [0], [1.0])), "option 'rates'"
        yield lambda: strads.MatrixFactorization(2).fit(([0, 0], [1, 1], [1.0, 2.0])), "."
        yield lambda: strads.MatrixFactorization(2, options={"holdout": 2}).fit(([0, 0], [1, 2], [1.0, 2.0])), "option 'holdout'"

    def test_errors_warnings_and_notes(self):
        for k, (run, expected) in enumerate(self.everything()):
            texts = said(run)
            with self.subTest(k, said=texts):
                self.assertTrue(texts)
                self.assertTrue(any(re.search(expected, text) for text in texts))
                for text in texts:
                    self.assertNotRegex(text, r"(?<![\w-])--[a-z]")
                    self.assertNotRegex(re.sub(r"'lambda_scale'", "", text), r"\blambda|max_rounds|max rounds")

    def test_options_are_parameters_where_there_is_one(self):
        lasso, logistic, mf = strads.LassoCV(), strads.LogisticRegressionCV(), strads.MatrixFactorization()
        for text, estimator, expected in (
                ("--tolerance 1e-9: too small", lasso, "tol=1e-9: too small"),
                ("--lambda 0.5 is large", strads.Lasso(), "alpha=0.5 is large"),
                ("--lambda 0.5 is large", strads.LogisticRegression(), "C=2 is large"),
                ("give --lambda L, or --lambdas", lasso, "give alpha, or n_alphas"),
                ("no lambda was solved", logistic, "no C was solved"),
                ("all lambdas (lambda_max = 0)", lasso, "all alphas (the largest alpha = 0)"),
                ("lambda 3 has a gap", lasso, "alphas_[2] has a gap"),
                ("lambda 3 has a gap", logistic, "Cs_[2] has a gap"),
                ("need --center on and --center-y on", lasso, "need fit_intercept=True"),
                ("--missing mean puts", lasso, "options={'missing': 'mean'} puts"),
                ("give --measure deviance", logistic, "give scoring='deviance'"),
                ("without fold 1: row 3", lasso, "without fold 0: row 2"),
                ("raise --sweeps, or --rank 8", mf, "raise max_iter, or n_components=8"),
                ("no input (--help shows the options)", lasso, "no input"),
                ("plink2 --bfile P --make-bed --out Q writes it, then --bfile Q", lasso,
                 "plink2 --bfile P --make-bed --out Q writes it, then strads.Bed")):
            self.assertEqual(in_python(text, estimator), expected)
        self.assertEqual(in_python("x.csv: row 3", lasso, in_memory=False), "x.csv: row 3")

    def test_every_option_that_can_be_given_has_a_name_here(self):
        from strads import _strads

        for command, estimator in (("fit", strads.Lasso()), ("path", strads.LassoPath()), ("cv", strads.LassoCV())):
            for option in _strads.options_of(command):
                text = in_python(f"--{option['name']}: wrong", estimator)
                self.assertNotIn("--", text)
                self.assertTrue(text.endswith(": wrong"), text)


if __name__ == "__main__":
    unittest.main()
