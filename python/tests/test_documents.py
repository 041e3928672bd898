"""Docstrings and stubs say what the package is."""

import pathlib
import unittest

import make_stubs
import strads

HERE = pathlib.Path(__file__).parents[1]


class Documents(unittest.TestCase):
    def test_every_parameter_is_explained(self):
        for name in strads.__all__:
            cls = getattr(strads, name)
            if not hasattr(cls, "get_params"):
                continue
            lines = cls.__doc__.splitlines()
            for parameter in cls().get_params():
                at = lines.index("    " + parameter)
                self.assertTrue(lines[at + 1].strip(), f"{name}.{parameter}")
        self.assertIn("--tolerance: stop when the duality gap", strads.Lasso.__doc__)

    def test_the_stubs_are_those_of_the_package(self):
        written = (HERE / "strads/__init__.pyi").read_text()
        self.assertEqual(written, make_stubs.text(), "run python/tests/make_stubs.py python/strads/__init__.pyi")
        compile(written, "__init__.pyi", "exec")


class Pictures(unittest.TestCase):
    def test_paths_cross_validations_and_convergence_are_drawn(self):
        from support import problem

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
