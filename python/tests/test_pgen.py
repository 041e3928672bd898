"""strads.Pgen: calls as in a .bed, dosages as in an array, tables of samples and variants."""

import pathlib
import tempfile
import unittest

import numpy as np

import strads
from support import LASSO, coefficients, run_command

SAMPLES, VARIANTS = 50, 120
MISSING = 3


def pack(codes):
    """Two bits a sample, the first one lowest, each variant in whole bytes. `codes`: samples x variants."""
    padded = np.zeros((-(-codes.shape[0] // 4) * 4, codes.shape[1]), dtype=np.uint8)
    padded[: codes.shape[0]] = codes
    four = padded.T.reshape(codes.shape[1], -1, 4)
    return (four << np.array([0, 2, 4, 6], dtype=np.uint8)).sum(axis=2, dtype=np.uint8)


class Files:
    """The same people as .bed, as .pgen with calls, and as .pgen with dosages, written from the specifications."""

    def __init__(self, folder):
        random = np.random.default_rng(5)
        frequency = random.uniform(0.1, 0.5, size=VARIANTS)
        self.dosages = np.clip(random.binomial(2, frequency, size=(SAMPLES, VARIANTS)) +
                               np.round(random.uniform(-0.1, 0.1, size=(SAMPLES, VARIANTS)) * 16384) / 16384, 0, 2)
        self.calls = np.round(self.dosages).astype(np.uint8)
        self.calls[random.uniform(size=self.calls.shape) < 0.02] = MISSING
        self.y = np.where(self.calls == MISSING, 1, self.calls)[:, :6].sum(axis=1) + random.normal(size=SAMPLES)
        self.people = [f"p{i}" for i in range(SAMPLES)]
        self.folder = pathlib.Path(folder)
        self.write_bed("bed")
        self.write_pgen("calls", 2, [pack(self.calls)[j].tobytes() for j in range(VARIANTS)])
        stored = np.round(self.dosages * 16384).astype("<u2")
        self.write_pgen("dosages", 3, [pack(np.round(self.dosages).astype(np.uint8))[j].tobytes() + stored[:, j].tobytes()
                                       for j in range(VARIANTS)])

    def path(self, name):
        return str(self.folder / name)

    def write_bed(self, prefix):
        codes = np.array([3, 2, 0, 1], dtype=np.uint8)[self.calls]  # of 0, 1, 2 copies of A1, and of a missing call
        pathlib.Path(self.path(prefix + ".bed")).write_bytes(b"\x6c\x1b\x01" + pack(codes).tobytes())
        pathlib.Path(self.path(prefix + ".bim")).write_text(
            "".join(f"7\trs{j}\t0\t{1000 + j}\tT\tC\n" for j in range(VARIANTS)))
        pathlib.Path(self.path(prefix + ".fam")).write_text("".join(f"{p} {p} 0 0 0 -9\n" for p in self.people))

    def write_pgen(self, prefix, mode, records):
        head = b"\x6c\x1b" + bytes([mode]) + np.array([VARIANTS, SAMPLES], dtype="<u4").tobytes() + b"\x40"
        pathlib.Path(self.path(prefix + ".pgen")).write_bytes(head + b"".join(records))
        pathlib.Path(self.path(prefix + ".pvar")).write_text("#CHROM\tPOS\tID\tREF\tALT\n" + "".join(
            f"7\t{1000 + j}\trs{j}\tC\tT\n" for j in range(VARIANTS)))
        pathlib.Path(self.path(prefix + ".psam")).write_text(
            "#FID\tIID\tSEX\ttrait\n" + "".join(f"{p}\t{p}\tNA\t{float(v)!r}\n" for p, v in zip(self.people, self.y)))


class Pgen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.files = Files(cls.place.name)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def fit(self, x, **more):
        return strads.Lasso(0.1, scale=True, **more).fit(x, self.files.y)

    def test_calls_have_the_bits_of_the_command_and_of_a_bed(self):
        x = strads.Pgen(self.files.path("calls"))
        fitted = self.fit(x)
        self.assertGreater(np.count_nonzero(fitted.coef_), 3)
        bed = self.fit(strads.Bed(self.files.path("bed")))
        self.assertEqual(fitted.beta_hash_, bed.beta_hash_)
        np.testing.assert_array_equal(fitted.coef_, bed.coef_)
        np.testing.assert_array_equal(fitted.predict(x), bed.predict(x))
        summary, table = run_command("fit", {}, "--pfile", x.prefix, "--pheno-name", "trait", "--lambda", "0.1",
                                     "--lambda-scale", "y", "--scale-y", "off")
        self.assertEqual(summary["beta_hash"], fitted.beta_hash_)
        np.testing.assert_array_equal(coefficients(table, VARIANTS), fitted.coef_)

    def test_the_trait_of_the_psam_is_the_response(self):
        x = strads.Pgen(self.files.path("calls"), pheno_name="trait")
        self.assertEqual(strads.Lasso(0.1, scale=True).fit(x).beta_hash_, self.fit(x).beta_hash_)

    def test_dosages_are_those_of_an_array(self):
        x = strads.Pgen(self.files.path("dosages"))
        fitted, array = self.fit(x, tol=1e-13), self.fit(np.asfortranarray(self.files.dosages), tol=1e-13)
        np.testing.assert_allclose(fitted.coef_, array.coef_, rtol=0, atol=1e-9)
        np.testing.assert_allclose(fitted.predict(x), array.predict(self.files.dosages), rtol=0, atol=1e-8)
        self.assertGreater(np.abs(fitted.coef_ - self.fit(strads.Pgen(self.files.path("calls"))).coef_).max(), 1e-3)
        summary, _ = run_command("fit", {"y": self.files.y, "x": np.asfortranarray(self.files.dosages)}, *LASSO[2:4],
                                 "--lambda", "0.1", "--lambda-scale", "y", "--tolerance", "1e-13")
        self.assertEqual(summary["beta_hash"], array.beta_hash_)

    def test_tables_of_samples_and_variants(self):
        x = strads.Pgen(self.files.path("dosages"))
        self.assertEqual(x.shape, (SAMPLES, VARIANTS))
        self.assertEqual(list(x.samples.columns), ["FID", "IID"])
        self.assertEqual(list(x.samples.IID), self.files.people)
        variants = x.variants
        self.assertEqual(list(variants.id), [f"rs{j}" for j in range(VARIANTS)])
        self.assertEqual(variants.iloc[3].tolist(), ["rs3", "7", "1003", "T", "C"])  # ALT is counted
        self.assertTrue(variants.equals(strads.Bed(self.files.path("bed")).variants))

    def test_unpacked_columns_lie_where_scratch_says(self):
        with tempfile.TemporaryDirectory() as scratch:
            found = self.fit(strads.Pgen(self.files.path("dosages"), scratch=scratch))
            self.assertEqual(len(list(pathlib.Path(scratch).iterdir())), 1)
            self.assertEqual(found.beta_hash_, self.fit(strads.Pgen(self.files.path("dosages"))).beta_hash_)

    def test_filters_are_options_and_leave_columns_where_they_are(self):
        x = strads.Pgen(self.files.path("calls"), maf=0.3)
        fitted = self.fit(x)
        calls = np.where(self.files.calls == MISSING, np.nan, self.files.calls)
        share = np.nanmean(calls, axis=0) / 2
        out = np.minimum(share, 1 - share) < 0.3
        self.assertIn(f"{out.sum()} variables left out: options={{'maf': 0.3}}", fitted.notes_)
        self.assertTrue(np.all(fitted.coef_[out] == 0) and np.any(fitted.coef_[~out] != 0))
        self.assertEqual(x.shape, (SAMPLES, VARIANTS))
        whole = strads.Pgen(self.files.path("calls"))
        np.testing.assert_array_equal(fitted.predict(x), fitted.predict(whole))
        self.assertEqual(len(x.variants), x.shape[1])

    def test_a_damaged_file_is_named(self):
        whole = pathlib.Path(self.files.path("calls.pgen")).read_bytes()
        for name in ("pvar", "psam"):
            pathlib.Path(self.files.path(f"short.{name}")).write_bytes(
                pathlib.Path(self.files.path(f"calls.{name}")).read_bytes())
        pathlib.Path(self.files.path("short.pgen")).write_bytes(whole[:-5])
        with self.assertRaisesRegex(strads.InputError, "short.pgen"):
            self.fit(strads.Pgen(self.files.path("short")))


if __name__ == "__main__":
    unittest.main()
