"""What X may be, what is copied, and what is refused."""

import tempfile
import unittest
import warnings

import numpy as np
import pandas
import scipy.sparse

import strads
from support import GENOTYPES, problem, run_command


class Copies(unittest.TestCase):
    def warned(self, x, y):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            strads.Lasso(1.0).fit(x, y)
        copies = [one for one in heard if one.category is strads.CopyWarning]
        self.assertTrue(all(one.filename == __file__ for one in copies))  # where the package was called
        return [str(one.message) for one in copies]

    def test_fortran_order_is_not_copied(self):
        x, y = problem(samples=200, features=1000)
        self.assertEqual(self.warned(x, y), [])
        self.assertEqual(self.warned(x[20:150], y[20:150]), [])
        self.assertEqual(self.warned(x[:, 100:900], y), [])

    def test_c_order_is_copied_and_announced(self):
        x, y = problem(samples=200, features=1000)
        said = self.warned(np.ascontiguousarray(x), y)
        self.assertEqual(len(said), 1)
        self.assertIn("numpy.asfortranarray", said[0])

    def test_sparse_columns_are_not_copied_and_rows_are(self):
        x, y = problem(samples=200, features=1000)
        columns = scipy.sparse.csc_matrix(x)
        self.assertEqual(self.warned(columns, y), [])
        self.assertIn("by columns", self.warned(columns.tocsr(), y)[0])


class Refusals(unittest.TestCase):
    def test_missing_numbers_are_named_by_place(self):
        x, y = problem()
        x[3, 2] = np.nan
        with self.assertRaisesRegex(strads.InputError, "X: row 3, column 2.*NaN"):
            strads.Lasso(0.1).fit(x, y)
        strads.Lasso(0.1, options={"missing": "mean"}).fit(x, y)

    def test_options_are_checked_as_on_the_command_line(self):
        x, y = problem()
        with self.assertRaisesRegex(strads.UsageError, "unknown option .worker.; did you mean option .workers."):
            strads.Lasso(0.1, options={"worker": 3}).fit(x, y)
        with self.assertRaisesRegex(strads.UsageError, "option .out. belongs to the programs"):
            strads.Lasso(0.1, options={"out": "somewhere"}).fit(x, y)
        with self.assertRaisesRegex(strads.UsageError, "The .alpha. parameter of Lasso must be .* Got -1.0 instead"):
            strads.Lasso(-1.0).fit(x, y)

    def test_both_are_value_errors(self):
        self.assertTrue(issubclass(strads.UsageError, ValueError) and issubclass(strads.InputError, ValueError))


class Files(unittest.TestCase):
    def test_of_arrays_and_of_tables_are_read_by_the_fit(self):
        x, y = problem(features=30)
        expected = strads.Lasso(0.1).fit(x, y)
        with tempfile.TemporaryDirectory() as folder:
            np.save(folder + "/x.npy", x)
            np.save(folder + "/y.npy", y)
            table = pandas.DataFrame(x, columns=[f"v{j}" for j in range(30)]).assign(trait=y)
            table.to_csv(folder + "/t.csv", index=False, float_format="%.17g")
            for data, response in ((strads.File(folder + "/x.npy", y=folder + "/y.npy"), None),
                                   (strads.File(folder + "/x.npy"), y),
                                   (strads.File(folder + "/t.csv", y_name="trait"), None)):
                fitted = strads.Lasso(0.1).fit(data, response)
                self.assertEqual(fitted.beta_hash_, expected.beta_hash_)
                np.testing.assert_allclose(fitted.predict(data), expected.predict(x), rtol=1e-12)
            self.assertEqual(strads.LogisticRegression(0.5).fit(strads.File(folder + "/x.npy"), y > 0).beta_hash_,
                             strads.LogisticRegression(0.5).fit(x, y > 0).beta_hash_)
            with self.assertRaisesRegex(strads.UsageError, "needs a response"):
                strads.Lasso(0.1).fit(strads.File(folder + "/x.npy"))
            with self.assertRaisesRegex(strads.InputError, "nowhere.npy"):
                strads.Lasso(0.1).fit(strads.File(folder + "/nowhere.npy"), y)


class Genotypes(unittest.TestCase):
    def phenotypes(self):
        lines = (GENOTYPES / "pheno.tsv").read_text().splitlines()
        at = lines[0].split("\t").index("sim20")
        table = {tuple(line.split("\t")[:2]): float(line.split("\t")[at]) for line in lines[1:]}
        fam = [tuple(line.split()[:2]) for line in (GENOTYPES / "chr2-eur.fam").read_text().splitlines()]
        return np.array([table.get(name, np.nan) for name in fam])

    def test_same_bits_as_the_command(self):
        x = strads.Bed(GENOTYPES / "chr2-eur")
        fitted = strads.Lasso(0.1, scale=True).fit(x, self.phenotypes())
        summary, _ = run_command("fit", {}, "--bfile", str(GENOTYPES / "chr2-eur"), "--pheno",
                                 str(GENOTYPES / "pheno.tsv"), "--pheno-name", "sim20", "--lambda", "0.1",
                                 "--lambda-scale", "y", "--scale-y", "off")
        self.assertEqual(summary["beta_hash"], fitted.beta_hash_)
        self.assertEqual(fitted.predict(x).shape, (503,))
        self.assertEqual(x.shape, (503, 10025))
        self.assertEqual(list(x.variants.columns), ["id", "chromosome", "position", "A1", "A2"])
        self.assertEqual(len(x.samples), 503)


if __name__ == "__main__":
    unittest.main()
