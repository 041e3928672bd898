"""Docstrings and stubs say what the package is."""

import doctest
import inspect
import pathlib
import re
import tempfile
import unittest

import make_stubs
import numpy as np
import pandas as pd
import scipy.sparse

import strads
from support import problem

HERE = pathlib.Path(__file__).parents[1]


class Documents(unittest.TestCase):
    ESTIMATORS = [getattr(strads, name) for name in strads.__all__ if hasattr(getattr(strads, name), "get_params")]

    def section(self, cls, title):
        """{name: (type, text)} of a section of the docstring."""
        lines = cls.__doc__.splitlines()
        at = lines.index("    " + title)
        self.assertEqual(lines[at + 1], "    " + "-" * len(title))
        found, name = {}, None
        for line in lines[at + 2:]:
            if not line.strip():
                break
            if line.startswith("        "):
                found[name][1] += line.strip() + " "
            else:
                name, _, kind = line.strip().partition(" : ")
                found[name] = [kind, ""]
        return found

    def test_every_parameter_has_a_type_a_default_and_a_text(self):
        self.assertEqual(len(self.ESTIMATORS), 17)
        for cls in self.ESTIMATORS:
            said = self.section(cls, "Parameters")
            self.assertEqual(list(said), list(inspect.signature(cls.__init__).parameters)[1:])
            for name, (kind, text) in said.items():
                self.assertRegex(kind, r"^\w.*, default=", f"{cls.__name__}.{name}")
                self.assertTrue(text.strip(), f"{cls.__name__}.{name}")
            self.assertNotRegex(cls.__doc__, r"--[a-z]|\blambda\b")

    def test_every_fitted_attribute_is_there_and_explained(self):
        """Those of a fit with all that makes attributes: a table, covariates, several ratios; and of ratings in a file."""
        x, y = problem(samples=40, features=5)
        table = pd.DataFrame(x, columns=list("abcde"))
        covariates = pd.DataFrame({"age": np.arange(40.0)})
        for cls in self.ESTIMATORS:
            said = self.section(cls, "Attributes")
            if issubclass(cls, strads.MatrixFactorization):
                users, items = np.divmod(np.random.default_rng(0).choice(100, size=60, replace=False), 10)
                with tempfile.TemporaryDirectory() as folder:
                    np.savetxt(folder + "/ratings.csv", np.c_[users, items, np.arange(60) % 5], fmt="%d", delimiter=",")
                    fitted = cls(2).fit(folder + "/ratings.csv")
            elif cls is strads.Slim:
                fitted = cls().fit(scipy.sparse.random(40, 5, density=0.5, format="csr", random_state=0))
            elif cls is strads.LatentDirichletAllocation:
                table_of_counts = pd.DataFrame(np.random.default_rng(0).poisson(1.0, (40, 5)), columns=list("abcde"))
                fitted = cls(2, max_iter=3).fit(table_of_counts)
            elif cls is strads.SummaryLasso:
                fitted = cls(n_alphas=4).fit(table, r=np.full(5, 0.1), n=100)
            elif cls is strads.LinearSVC:
                fitted = cls().fit(table, np.digitize(y, [-1, 1]))
            else:
                short = {name: value for name, value in (("n_alphas", 4), ("Cs", 4), ("cv", 3)) if name in cls().get_params()}
                response = np.round(np.abs(y)) if cls.__name__.startswith("Poisson") else y
                fitted = cls(**short).fit(table, y > 0 if hasattr(cls, "predict_proba") else response, covariates=covariates)
            found = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
            self.assertEqual(set(said), found, cls.__name__)
            sizes = {"n_features": 5, "n_planes": 3, "n_classes": 3, "n_covariates": 1, "n_folds": 3, "n_components": 2, "1": 1, "2": 2}
            for name, (kind, text) in said.items():
                self.assertTrue(text.strip(), f"{cls.__name__}.{name}")
                shape = re.search(r"of shape \((.*?),?\)", kind)
                if shape is None:
                    continue
                words = shape[1].split(", ")
                self.assertEqual(len(np.shape(getattr(fitted, name))), len(words), f"{cls.__name__}.{name}: {shape[1]}")
                for word, size in zip(words, np.shape(getattr(fitted, name))):
                    self.assertEqual(sizes.setdefault((cls, word) if word not in sizes else word, size), size, f"{name}: {word}")

    def test_examples_run(self):
        for module in (strads, strads._covariates):
            self.assertEqual(doctest.testmod(module).failed, 0)
        runner = doctest.DocTestRunner(verbose=False)
        for cls in [*self.ESTIMATORS, strads.WithCovariates]:
            tests = [one for one in doctest.DocTestFinder(recurse=False).find(cls, cls.__name__) if one.examples]
            self.assertTrue(tests, cls.__name__)
            for one in tests:
                runner.run(one)
        self.assertEqual(runner.summarize(verbose=False).failed, 0)

    def test_the_stubs_are_those_of_the_package(self):
        written = (HERE / "strads/__init__.pyi").read_text()
        self.assertEqual(written, make_stubs.text(), "run python/tests/make_stubs.py python/strads/__init__.pyi")
        compile(written, "__init__.pyi", "exec")


class Pictures(unittest.TestCase):
    def test_paths_cross_validations_and_convergence_are_drawn(self):
        x, y = problem(features=30)
        self.assertEqual(strads.LassoPath(n_alphas=10).fit(x, y).plot().get_xlabel(), "alpha")
        self.assertEqual(strads.LassoCV(n_alphas=10, cv=3).fit(x, y).plot().get_xscale(), "log")
        ratios = strads.ElasticNetCV(l1_ratio=[0.5, 0.9], n_alphas=5, cv=3).fit(x, y)
        self.assertEqual(ratios.plot().get_ylabel(), "mean squared error")
        classes = strads.LogisticRegressionCV(Cs=5, cv=3, scoring="class").fit(x, y > 0)
        self.assertEqual((classes.plot().get_xlabel(), classes.plot().get_ylabel()), ("C", "share misclassified"))
        kept = strads.Convergence()
        strads.Lasso(0.01, callback=kept).fit(x, y)
        self.assertEqual(kept.plot().get_yscale(), "log")


if __name__ == "__main__":
    unittest.main()
