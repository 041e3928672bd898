"""The Lasso on summary statistics: the bits of the program, certificates that NumPy recomputes, and arrays."""

import gzip
import json
import pathlib
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.base import clone

import strads
from support import GENOTYPES, PROGRAMS

STUDY = pathlib.Path(__file__).parents[2] / "tests/datasets/made-study"
PANEL = str(GENOTYPES / "chr2-eur")
SHORT = {"shrinks": [0.5, 1], "n_alphas": 4, "n_jobs": 1}
SHORT_OPTIONS = ["--shrink", "0.5,1", "--lambdas", "4", "--threads", "1"]


def program(folder, *options, command="path"):
    """`lasso path --sumstats`: its summary."""
    done = subprocess.run([str(PROGRAMS / "lasso"), command, "--sumstats", *options, "--quiet", "--out", f"{folder}/out"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(pathlib.Path(folder, "out/summary.json").read_text())


def made_panel(people=60, variants=30, seed=3):
    random = np.random.default_rng(seed)
    x = random.binomial(2, random.uniform(0.2, 0.5, variants), size=(people, variants)).astype(float)
    r = np.where(random.random(variants) < 0.3, random.uniform(-0.4, 0.4, variants), 0.01)
    return x, r


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.keep = cls.folder.name + "/panel.txt"
        lines = pathlib.Path(PANEL + ".fam").read_text().splitlines()
        pathlib.Path(cls.keep).write_text("".join(" ".join(line.split()[:2]) + "\n" for line in lines[300:400]))
        cls.people = cls.folder.name + "/people.txt"
        pathlib.Path(cls.people).write_text("".join(" ".join(line.split()[:2]) + "\n" for line in lines[400:]))
        cls.panel = strads.Bed(PANEL, keep=cls.keep, chr="2", to_bp=30000000)
        cls.options = [str(STUDY / "study.tsv.gz"), "--bfile", PANEL, "--keep", cls.keep, "--chr", "2", "--to-bp", "30000000",
                       "--ld-blocks", str(STUDY / "blocks.bed"), *SHORT_OPTIONS]
        cls.summary = program(cls.folder.name, *cls.options)
        cls.model = strads.SummaryLasso(**SHORT).fit(cls.panel, STUDY / "study.tsv.gz", ld_blocks=STUDY / "blocks.bed")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_have_the_bits_of_the_program(self):
        self.assertEqual(self.model.model_hash_, self.summary["model_hash"])
        self.assertEqual((self.model.shrink_, self.model.alpha_), (self.summary["choice"]["s"], self.summary["choice"]["lambda"]))
        lines = pathlib.Path(self.folder.name, "out/coefficients.tsv").read_text().splitlines()
        names = lines[0].split("\t")
        rows = [dict(zip(names, line.split("\t"))) for line in lines[1:]]
        self.assertEqual(np.flatnonzero(self.model.coef_).tolist(), [int(row["column"]) - 1 for row in rows])
        self.assertEqual(self.model.coef_[self.model.coef_ != 0].tolist(), [float(row["coefficient"]) for row in rows])

    def test_predict_as_the_program_and_as_from_an_array(self):
        people = strads.Bed(PANEL, keep=self.people)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = self.model.predict(people)
        out = self.folder.name + "/scores.tsv"
        done = subprocess.run([str(PROGRAMS / "lasso"), "predict", "--model", self.folder.name + "/out", "--bfile", PANEL, "--keep",
                               self.people, "--out", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in pathlib.Path(out).read_text().splitlines()]
        column = rows[0].index("prediction")
        self.assertEqual(scores[400:].tolist(), [float(row[column]) for row in rows[1:]])  # a row for each row of the files

    def test_arrays_of_the_matched_statistics_have_the_same_bits(self):
        variants = self.panel.variants
        by_place = {(one.position, one.A1, one.A2): k for k, one in enumerate(variants.itertuples())}
        arrays = {name: np.full(len(variants), np.nan) for name in ("beta", "se", "n", "frequency")}
        with gzip.open(STUDY / "study.tsv.gz", "rt") as lines:
            names = next(lines).split()
            for line in lines:
                row = dict(zip(names, line.split()))
                k = by_place.get((row["base_pair_location"], row["effect_allele"], row["other_allele"]))
                if k is None:
                    continue
                arrays["beta"][k], arrays["se"][k] = float(row["beta"]), float(row["standard_error"])
                arrays["n"][k], arrays["frequency"][k] = float(row["n"]), float(row["effect_allele_frequency"])
        model = strads.SummaryLasso(**SHORT).fit(self.panel, **arrays, ld_blocks=STUDY / "blocks.bed")
        self.assertEqual(model.model_hash_, self.model.model_hash_)
        self.assertEqual(model.variants_.tolist(), self.model.variants_.tolist())

    def test_people_choose_as_in_the_program(self):
        table = [line.split() for line in (GENOTYPES / "pheno.tsv").read_text().splitlines()]
        trait = {tuple(row[:2]): float(row[table[0].index("sim20")]) for row in table[1:]}
        people = strads.Bed(PANEL, keep=self.people)
        y = [trait[key] for key in zip(people.samples["FID"], people.samples["IID"])]
        by_array = strads.SummaryLasso(**SHORT).fit(self.panel, STUDY / "study.tsv.gz", ld_blocks=STUDY / "blocks.bed",
                                                    validation=(people, y))
        with tempfile.TemporaryDirectory() as folder:
            summary = program(folder, *self.options, "--validate-bfile", PANEL, "--validate-keep", self.people, "--pheno",
                              str(GENOTYPES / "pheno.tsv"), "--pheno-name", "sim20")
        self.assertEqual(by_array.chosen_by_, "validation")
        self.assertEqual((by_array.shrink_, by_array.alpha_), (summary["choice"]["s"], summary["choice"]["lambda"]))
        chosen = by_array.measured_[by_array.shrinks_ == by_array.shrink_][:, by_array.alphas_ == by_array.alpha_]
        self.assertEqual(chosen.item(), summary["choice"]["measured"])

    def test_a_cluster_has_the_same_bits(self):
        with strads.Cluster(processes=2) as cluster:
            model = strads.SummaryLasso(cluster=cluster, **SHORT).fit(self.panel, STUDY / "study.tsv.gz",
                                                                      ld_blocks=STUDY / "blocks.bed")
        self.assertEqual(model.model_hash_, self.model.model_hash_)

    def test_options_of_people_who_choose_are_not_taken_for_the_panels(self):
        people = strads.Bed(PANEL, keep=self.people, remove=self.keep)
        with self.assertRaisesRegex(strads.UsageError, "validation: found the option 'remove' of Bed.*expected none but keep"):
            strads.SummaryLasso(**SHORT).fit(self.panel, STUDY / "study.tsv.gz", validation=(people, None))

    def test_a_fit_is_the_path_of_its_lambda_and_shrinkage_alone(self):
        files = self.options[:-len(SHORT_OPTIONS)] + ["--threads", "1"]
        point = ["--shrink", "0.5", "--lambda", "0.1"]
        with tempfile.TemporaryDirectory() as path, tempfile.TemporaryDirectory() as fit:
            of_path = program(path, *files, *point)
            of_fit = program(fit, *files, *point, command="fit")
            self.assertEqual(of_fit["model_hash"], of_path["model_hash"])
            self.assertEqual((of_fit["program"], of_fit["choice"]["by"]), ("lasso fit --sumstats", "given"))
            self.assertEqual((of_fit["choice"]["s"], of_fit["choice"]["lambda"]), (0.5, 0.1))
            read = lambda folder, name: pathlib.Path(folder, "out", name).read_bytes()
            for name in ("coefficients.tsv", "dropped.tsv"):
                self.assertEqual(read(fit, name), read(path, name))
            self.assertFalse(pathlib.Path(fit, "out/path.tsv").exists())
            self.assertGreater(of_fit["choice"]["nonzeros"], 0)
            for command in (["predict"], ["score", "--pheno", str(GENOTYPES / "pheno.tsv"), "--pheno-name", "sim20",
                                          "--bootstrap", "0"]):
                done = subprocess.run([str(PROGRAMS / "lasso"), *command, "--model", fit + "/out", "--bfile", PANEL, "--keep",
                                       self.people, "--out", f"{fit}/{command[0]}"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
            exported = subprocess.run([str(PROGRAMS / "lasso"), "export", "--model", fit + "/out", "--export", "plink2"],
                                      capture_output=True, text=True)
            self.assertEqual(len(exported.stdout.splitlines()) - 1, of_fit["choice"]["nonzeros"])
            two = program(path, *files, *point, "--processes", "2", "--force", command="fit")
            self.assertEqual(two["model_hash"], of_fit["model_hash"])
            # A share of lambda_max is the same as that lambda.
            ratio = program(fit, *files, "--shrink", "0.5", "--lambda-ratio", repr(0.1 / of_fit["lambda_max"]), "--force",
                            command="fit")
            self.assertAlmostEqual(ratio["choice"]["lambda"], 0.1, delta=1e-15)

    def test_a_panel_of_a_file_for_each_chromosome_has_the_same_bits(self):
        folder = pathlib.Path(self.folder.name)
        calls = pathlib.Path(PANEL + ".bed").read_bytes()
        variants = pathlib.Path(PANEL + ".bim").read_text().splitlines(keepends=True)
        stride = (len(calls) - 3) // len(variants)
        for name, first, last in (("part1", 0, 700), ("part3", 700, len(variants))):
            (folder / (name + ".bed")).write_bytes(calls[:3] + calls[3 + first * stride:3 + last * stride])
            (folder / (name + ".bim")).write_text("".join(variants[first:last]))
            (folder / (name + ".fam")).write_bytes(pathlib.Path(PANEL + ".fam").read_bytes())
        with tempfile.TemporaryDirectory() as out:
            options = [str(folder / "part@") if one == PANEL else one for one in self.options]
            self.assertEqual(program(out, *options)["model_hash"], self.summary["model_hash"])

    def test_a_panel_of_plink2_has_the_same_bits(self):
        folder = pathlib.Path(self.folder.name)
        subprocess.run(["plink2", "--bfile", PANEL, "--make-pgen", "--out", str(folder / "panel2")], check=True,
                       capture_output=True)
        with tempfile.TemporaryDirectory() as out:
            options = [{PANEL: str(folder / "panel2"), "--bfile": "--pfile"}.get(one, one) for one in self.options]
            self.assertEqual(program(out, *options)["model_hash"], self.summary["model_hash"])
        model = strads.SummaryLasso(**SHORT).fit(strads.Pgen(str(folder / "panel2"), keep=self.keep, chr="2", to_bp="30000000"),
                                                 STUDY / "study.tsv.gz", ld_blocks=STUDY / "blocks.bed")
        self.assertEqual(model.model_hash_, self.model.model_hash_)


class Arrays(unittest.TestCase):
    def fitted(self, **more):
        x, r = made_panel()
        return x, r, strads.SummaryLasso(shrinks=[0.2, 1], n_alphas=5, tol=1e-9, n_jobs=1).fit(x, r=r, n=1000, **more)

    def test_certificates_are_those_that_numpy_recomputes(self):
        x, r, model = self.fitted()
        unit = (x - x.mean(axis=0)) / np.linalg.norm(x - x.mean(axis=0), axis=0)
        for k in range(10):
            s, alpha = model.shrinks_[k // 5], model.alphas_[k % 5]
            b = model.standardized_path_[:, [k]].toarray()[:, 0]
            h = r - (1 - s) * unit.T @ (unit @ b)
            objective = (1 - s) / 2 * np.sum((unit @ b) ** 2) - r @ b + s / 2 * b @ b + alpha * np.abs(b).sum()
            gap = np.sum(alpha * np.abs(b) - h * b + s / 2 * b**2 + np.maximum(np.abs(h) - alpha, 0) ** 2 / (2 * s))
            self.assertAlmostEqual(model.objectives_.flat[k], objective, delta=1e-12)
            self.assertLessEqual(gap, 1e-9 * abs(objective) + 1e-18)
            self.assertAlmostEqual(model.gaps_.flat[k], gap, delta=1e-14)
            self.assertEqual(model.n_nonzero_.flat[k], np.count_nonzero(b))

    def test_blocks_are_solved_as_if_each_were_alone(self):
        x, r, model = self.fitted(blocks=np.arange(30) % 2)
        self.assertEqual(model.variants_.tolist(), [*range(0, 30, 2), *range(1, 30, 2)])
        alone = strads.SummaryLasso(shrinks=[0.2, 1], alphas=model.alphas_, tol=1e-9, n_jobs=1).fit(x[:, ::2], r=r[::2], n=1000)
        self.assertEqual((model.coef_path_[::2] != alone.coef_path_).nnz, 0)

    def test_in_the_sample_itself_it_is_the_elastic_net(self):
        x, _ = made_panel()
        y = x[:, :3].sum(axis=1) + np.random.default_rng(1).normal(size=60)
        unit = (x - x.mean(axis=0)) / np.linalg.norm(x - x.mean(axis=0), axis=0)
        centred = (y - y.mean()) / np.linalg.norm(y - y.mean())
        s, alpha = 0.2, 0.1
        ours = strads.SummaryLasso(shrinks=s, alphas=[alpha], tol=1e-14).fit(x, r=unit.T @ centred, n=60)
        l2 = s / (1 - s)
        net = strads.ElasticNet(alpha=(alpha + l2) / 60, l1_ratio=alpha / (alpha + l2), fit_intercept=False, tol=1e-14)
        expected = net.fit(np.asfortranarray(unit), centred).coef_ / (1 - s)
        np.testing.assert_allclose(ours.standardized_path_.toarray()[:, 0], expected, atol=1e-7)

    def test_missing_calls_are_means_in_panel_and_predictions(self):
        x, r = made_panel()
        holes = x.copy()
        holes[3, 4] = np.nan
        filled = x.copy()
        filled[3, 4] = np.nanmean(holes[:, 4])
        ours, other = (strads.SummaryLasso(**SHORT).fit(one, r=r, n=500) for one in (holes, filled))
        np.testing.assert_allclose(ours.predict(holes), other.predict(filled), rtol=1e-9)
        np.testing.assert_allclose(ours.coef_path_.toarray(), other.coef_path_.toarray(), rtol=1e-3, atol=1e-9)

    def test_clone_pickle_and_parameters(self):
        x, r, model = self.fitted()
        self.assertEqual(clone(model).get_params(), model.get_params())
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(x), model.predict(x))
        np.testing.assert_array_equal(model.coef(model.shrink_, model.alpha_), model.coef_)
        self.assertEqual(model.coef_path_.shape, (30, 10))

    def test_effect_and_error_say_the_units(self):
        x, r = made_panel()
        se = 1 / np.sqrt(400 * x.var(axis=0))
        model = strads.SummaryLasso(**SHORT).fit(x, beta=r * np.sqrt(400) * se, se=se, n=400)
        self.assertIn("the study's units", model.weights_)
        self.assertIn("standard deviations of the trait", self.fitted()[2].weights_)


class Refusals(unittest.TestCase):
    def refused(self, error, text, *arguments, model=None, **more):
        with self.assertRaisesRegex(error, text):
            (model or strads.SummaryLasso(**SHORT)).fit(*arguments, **more)

    def test_what_arrays_cannot_be(self):
        x, r = made_panel()
        wrong = np.full(30, 0.1)
        wrong[4] = -1
        self.refused(strads.UsageError, "r has 29 numbers, expected 30", x, r=r[1:], n=100)
        self.refused(strads.InputError, "se of variant 4 is -1, expected a standard error above 0", x, beta=r, se=wrong, n=100)
        self.refused(strads.InputError, "r of variant 4 is 2, expected a correlation", x, r=np.where(wrong < 0, 2, r), n=100)
        self.refused(strads.InputError, "n of variant 0 is unknown, expected the people of the study: give n", x, r=r)
        self.refused(strads.InputError, "variant 4: p is 0, expected one above 0", x, beta=r, p=np.maximum(wrong, 0), n=100)
        self.refused(strads.UsageError, "no statistics: give r, or beta and se, or beta and p", x, beta=r, n=100)
        self.refused(strads.UsageError, "files are matched with a panel that has names", x, "study.tsv")
        self.refused(strads.UsageError, "r: statistics are given by sumstats, too", strads.Bed(PANEL), "study.tsv", r=r)
        self.refused(ValueError, "'shrinks' parameter of SummaryLasso must be numbers above 0", x, r=r, n=100,
                     model=strads.SummaryLasso(shrinks=[0, 1]))


if __name__ == "__main__":
    unittest.main()
