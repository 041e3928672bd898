"""Nodes that stay between fits: the bits of a fit without them, and nothing left behind."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import clone

import strads
from support import GENOTYPES, problem

KEPT = "goes on with the data kept"
# An ssh that runs everything on this machine.
SSH = """#!/bin/sh
case "$*" in *-G*) echo "hostname 127.0.0.1"; exit 0;; esac
for last; do :; done
exec sh -c "$last"
"""


def runs(process):
    """Whether it is there and no zombie."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s")
        time.sleep(0.01)


class OnNodes(unittest.TestCase):
    """All on one cluster: fits of all kinds, one after the other."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = strads.Cluster(processes=2)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.close()

    def same(self, make, *data, attribute="beta_hash_", **more):
        """The estimator fitted on the nodes, after a comparison with one that was fitted in this process."""
        alone = make().fit(*data, **more)
        there = make().set_params(cluster=self.cluster).fit(*data, **more)
        self.assertEqual(getattr(there, attribute), getattr(alone, attribute))
        self.assertEqual(np.ravel(there.coef_).tolist() if hasattr(there, "coef_") else [],
                         np.ravel(alone.coef_).tolist() if hasattr(alone, "coef_") else [])
        return there

    def test_arrays_and_what_the_nodes_keep(self):
        x, y = problem(seed=7)
        self.same(lambda: strads.Lasso(0.1), x, y)
        time.sleep(0.15)  # what was written just now need not be kept
        self.same(lambda: strads.Lasso(0.3), x, y)
        before = sum(KEPT in line for line in self.cluster.log)
        for alpha in (0.2, 0.05):
            self.same(lambda alpha=alpha: strads.Lasso(alpha), x, y)
        self.assertEqual(sum(KEPT in line for line in self.cluster.log) - before, 2 * 2)
        files = os.listdir(self.cluster._nodes.local.folder())
        self.assertEqual(sum(name.startswith("X-") for name in files), 1, files)

    def test_several_responses_and_a_split(self):
        x, y = problem()
        parts = np.array(["train", "train", "val", "test"] * 15)
        split = self.same(lambda: strads.LassoPath(n_alphas=6), x, y, attribute="path_hash_", split=parts)
        self.assertEqual(split.split_scores_["test"]["samples"], 15)
        both = np.c_[y, x[:, 0] - y]
        there = strads.LassoPath(n_alphas=4, cluster=self.cluster).fit(x, both)
        self.assertEqual([one.path_hash_ for one in there.estimators_],
                         [strads.LassoPath(n_alphas=4).fit(x, column).path_hash_ for column in both.T])

    def test_other_numbers_weights_and_penalty_factors(self):
        weights = np.random.default_rng(0).integers(0, 3, size=60).astype(float)
        factors = np.random.default_rng(1).uniform(0.5, 2, size=200)
        for kind in ("f4", "i1"):
            x, y = problem(kind=kind)
            self.same(lambda: strads.ElasticNet(0.1), x, y, sample_weight=weights, penalty_factors=factors)
        x, y = problem()
        self.same(lambda: strads.Lasso(0.1), x[::2], y[::2])

    def test_sparse_columns(self):
        random = np.random.default_rng(3)
        x = scipy.sparse.random(80, 300, 0.1, format="csc", random_state=random)
        x.sum_duplicates()
        self.same(lambda: strads.Lasso(0.01), x, np.asarray(x[:, :5].sum(axis=1)).ravel())

    def test_paths_and_cross_validations(self):
        x, y = problem()
        self.same(lambda: strads.LassoPath(n_alphas=10), x, y, attribute="path_hash_")
        self.same(lambda: strads.LassoPath(alphas=[0.3, 0.1 + 1e-16, 1 / 30]), x, y, attribute="path_hash_")
        fitted = self.same(lambda: strads.ElasticNetCV(l1_ratio=[0.3, 0.9], n_alphas=8, cv=3), x, y)
        self.assertEqual(fitted.mse_path_.shape, (2, 8, 3))

    def test_two_classes(self):
        x, y = problem()
        offset = np.random.default_rng(2).normal(size=60)
        self.same(lambda: strads.LogisticRegression(0.5), x, y > 0, offset=offset)
        self.same(lambda: strads.LogisticRegressionCV(Cs=[0.1, 0.3, 1.0], cv=3), x, y > 0)
        self.same(lambda: strads.LogisticRegressionPath(Cs=6), x, y > 0, attribute="path_hash_")

    def test_counts(self):
        x, y = problem()
        offset = np.random.default_rng(2).normal(size=60)
        self.same(lambda: strads.PoissonLasso(0.5), x, np.round(np.abs(y)), offset=offset)
        self.same(lambda: strads.PoissonLassoPath(n_alphas=5), x, np.round(np.abs(y)), attribute="path_hash_")
        self.same(lambda: strads.PoissonLassoCV(n_alphas=5, cv=3), x, np.round(np.abs(y)))

    def test_genotypes_and_files(self):
        x = strads.Bed(GENOTYPES / "chr2-eur")
        y = np.random.default_rng(0).normal(size=503)
        y[5] = np.nan
        weights = np.random.default_rng(1).uniform(1, 2, size=503)
        self.same(lambda: strads.Lasso(0.15, scale=True), x, y, sample_weight=weights)
        self.same(lambda: strads.LogisticRegression(20.0), x, np.arange(503) % 3 == 0)
        self.same(lambda: strads.Lasso(0.1, scale=True), x, np.arange(503.0) % 3)  # 0, 1 and 2 are numbers, not phenotypes
        with self.assertRaisesRegex(strads.InputError, "y: entry 2 is -9.*means missing"):
            strads.Lasso(0.1, cluster=self.cluster).fit(x, np.where(np.arange(503) == 2, -9.0, y))
        own = strads.Bed(GENOTYPES / "chr2-eur", pheno=GENOTYPES / "pheno.tsv", pheno_name="sim20")
        self.same(lambda: strads.LassoCV(n_alphas=4, eps=0.2, cv=3, scale=True), own, None)
        with tempfile.TemporaryDirectory() as folder:
            numbers, response = problem()
            np.save(folder + "/x.npy", numbers)
            np.save(folder + "/y.npy", response)
            fitted = self.same(lambda: strads.Lasso(0.1), strads.File(folder + "/x.npy", y=folder + "/y.npy"))
            self.assertEqual(fitted.beta_hash_, strads.Lasso(0.1).fit(numbers, response).beta_hash_)
            self.same(lambda: strads.Lasso(0.1), strads.File(folder + "/x.npy"), response)

    def test_ratings(self):
        random = np.random.default_rng(0)
        users, items = np.divmod(random.choice(400, size=300, replace=False), 20)
        known = (users, items, random.integers(1, 6, size=300))
        self.same(lambda: strads.MatrixFactorization(3, max_iter=4, tol=1e-9), known, attribute="model_hash_")

    def test_item_weights(self):
        pairs = scipy.sparse.random(40, 15, density=0.3, format="csr", random_state=0)
        alone = strads.Slim(0.2, 2).fit(pairs)
        there = strads.Slim(0.2, 2, cluster=self.cluster).fit(pairs)
        self.assertEqual((there.model_hash_, there.item_ids_.tolist()), (alone.model_hash_, alone.item_ids_.tolist()))

    def test_threads_wait_for_each_other(self):
        x, y = problem()
        expected, found = strads.Lasso(0.1).fit(x, y).beta_hash_, []

        def fit():
            found.append(strads.Lasso(0.1, cluster=self.cluster).fit(x, y).beta_hash_)

        threads = [threading.Thread(target=fit) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 3)

    def test_a_killed_node_is_survived_and_replaced(self):
        x, y = problem(features=300)
        how = {"alpha": 0.1, "options": {"policy": "uniform", "schedulers": 2, "check-interval": 100}}
        expected = strads.Lasso(**how).fit(x, y).beta_hash_
        for which in (0, 1):  # both have a scheduler
            strads.Lasso(0.5, cluster=self.cluster).fit(x, y)
            victim = self.cluster.node_processes[which]

            def kill(facts, victim=victim):
                if facts["rounds"] > 100 and runs(victim):
                    os.kill(victim, signal.SIGKILL)

            fitted = strads.Lasso(callback=kill, cluster=self.cluster, **how).fit(x, y)
            self.assertEqual(fitted.beta_hash_, expected)
            self.assertTrue(any("lost rank" in note for note in fitted.notes_), fitted.notes_)
            self.assertFalse(runs(victim))
        strads.Lasso(0.5, cluster=self.cluster).fit(x, y)
        self.assertEqual(len(self.cluster.node_processes), 2)

    def test_a_dozen_fits_leave_no_file_and_no_thread(self):
        x, y = problem()

        def held():
            return [len(os.listdir(f"/proc/{process}/{what}")) for process in (os.getpid(), *self.cluster.node_processes)
                    for what in ("fd", "task")]

        strads.Lasso(0.1, cluster=self.cluster).fit(x, y)
        time.sleep(0.15)  # from here on the nodes keep the data
        strads.Lasso(0.1, cluster=self.cluster).fit(x, y)
        wait_until(lambda: all("waits for a driver" in self.last_word(name) for name in ("/1", "/2")))
        before = held()
        for _ in range(12):
            strads.Lasso(0.1, cluster=self.cluster).fit(x, y)
        wait_until(lambda: held() == before)

    def last_word(self, name):
        return next(line for line in reversed(self.cluster.log) if f"{name}: " in line)

    def test_control_c_ends_the_fit_and_not_the_nodes(self):
        x, y = problem()

        def interrupt(facts):
            if facts["event"] == "certificate":
                os.kill(os.getpid(), signal.SIGINT)

        estimator = strads.Lasso(0.01, tol=0.0, callback=interrupt, cluster=self.cluster, options={"policy": "uniform"})
        before = self.cluster.node_processes
        with self.assertRaises(KeyboardInterrupt):
            estimator.fit(x, y)
        self.assertGreaterEqual(estimator.dual_gap_, 0)
        self.same(lambda: strads.Lasso(0.1), x, y)
        self.assertEqual(self.cluster.node_processes, before)

    def test_what_nodes_cannot_see_is_refused(self):
        x, y = problem()
        with self.assertRaisesRegex(strads.InputError, "covariates.*options={'covar': path}"):
            strads.Lasso(0.1, cluster=self.cluster).fit(x, y, covariates=np.ones((60, 1)))
        with self.assertRaisesRegex(strads.UsageError, "option .listen. belongs to the programs"):
            strads.Lasso(0.1, options={"listen": "tcp://127.0.0.1:5570"}).fit(x, y)
        x[3, 2] = np.nan
        with self.assertRaisesRegex(strads.InputError, "row 3, column 2"):
            strads.Lasso(0.1, cluster=self.cluster).fit(x, y)

    def test_a_large_x_is_announced(self):
        x, y = problem(samples=200, features=1000)
        with self.assertWarnsRegex(strads.CopyWarning, "written to .* strads.File"):
            strads.Lasso(1.0, cluster=self.cluster).fit(x, y)

    def test_copies_of_estimators(self):
        estimator = strads.Lasso(0.1, cluster=self.cluster)
        self.assertIs(clone(estimator).cluster, self.cluster)
        self.assertIsNone(pickle.loads(pickle.dumps(estimator)).cluster)

    def test_a_fork_has_no_cluster_and_ends_none(self):
        x, y = problem()
        child = os.fork()
        if child == 0:
            try:
                strads.Lasso(0.1, cluster=self.cluster).fit(x, y)
            except strads.UsageError:
                self.cluster.close()
                os._exit(0)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.same(lambda: strads.Lasso(0.1), x, y)


class Ends(unittest.TestCase):
    def test_leaving_the_context_ends_every_process(self):
        with self.assertRaises(LookupError), strads.Cluster(processes=3) as cluster:
            processes, folder = cluster.node_processes, cluster._nodes.local.folder()
            self.assertTrue(len(processes) == 3 and all(map(runs, processes)))
            raise LookupError
        self.assertFalse(any(map(runs, processes)) or os.path.exists(folder))
        with self.assertRaisesRegex(strads.UsageError, "cluster is closed"):
            strads.Lasso(0.1, cluster=cluster).fit(*problem())

    def test_they_end_with_the_interpreter_however_it_ends(self):
        script = ("import strads, os, sys, signal\ncluster = strads.Cluster(processes=2)\n"
                  "print(*cluster.node_processes, cluster._nodes.local.folder(), flush=True)\n")
        for end in ("", "os.kill(os.getpid(), signal.SIGKILL)", "raise KeyboardInterrupt"):
            done = subprocess.run([sys.executable, "-B", "-c", script + end], capture_output=True, text=True)
            *processes, folder = done.stdout.split()
            self.assertEqual(len(processes), 2, done.stderr)
            wait_until(lambda: not any(map(runs, processes)) and not os.path.exists(folder))

    def test_they_outlive_the_thread_that_has_made_them(self):
        made = []

        def make():
            made.append(strads.Cluster(processes=1))
            wait_until(lambda: any("waits for a driver" in line for line in made[0].log))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        with made[0] as cluster:
            before = cluster.node_processes
            strads.Lasso(0.1, cluster=cluster).fit(*problem())
            self.assertEqual((len(before), cluster.node_processes), (1, before))

    def test_what_cannot_be_is_refused(self):
        with self.assertRaisesRegex(strads.UsageError, "either processes=N or hosts"):
            strads.Cluster()
        with self.assertRaisesRegex(strads.UsageError, "at least 1"):
            strads.Cluster(processes=0)
        with self.assertRaisesRegex(strads.StradsError, "stradsd: not found at /nowhere"):
            strads.Cluster(processes=2, stradsd="/nowhere")
        with self.assertRaisesRegex(strads.StradsError, "expected the build of this package"):
            strads.Cluster(processes=2, stradsd="/bin/true")


class Hosts(unittest.TestCase):
    """strads-launch with an ssh that runs everything here."""

    def test_fits_on_hosts_and_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            ssh = pathlib.Path(folder, "ssh")
            ssh.write_text(SSH)
            ssh.chmod(0o755)
            x, y = problem()
            np.save(folder + "/x.npy", x)
            np.save(folder + "/y.npy", y)
            on_disk = strads.File(folder + "/x.npy", y=folder + "/y.npy")
            expected = strads.Lasso(0.1).fit(x, y).beta_hash_
            with strads.Cluster(hosts=["here slots=2"], launch_options={"ssh": str(ssh)}, options={"lease": 5}) as cluster:
                for _ in range(2):
                    self.assertEqual(strads.Lasso(0.1, cluster=cluster).fit(on_disk).beta_hash_, expected)
                with self.assertRaisesRegex(strads.InputError, "X lies in the memory.*strads.File"):
                    strads.Lasso(0.1, cluster=cluster).fit(x, y)
                launcher, log = cluster._nodes._launcher, cluster.log
            self.assertTrue(any("here/2: rank" in line for line in log), log)
            self.assertEqual(launcher.poll(), 0)
            self.assertFalse(os.path.exists(cluster._nodes._folder) if cluster._nodes else False)

    def test_a_host_that_cannot_be_used_is_named(self):
        with self.assertRaisesRegex(strads.StradsError, "nobody: cannot be reached over ssh"):
            strads.Cluster(hosts=["nobody"], launch_options={"ssh": "sh -c 'exit 255' --"})


if __name__ == "__main__":
    unittest.main()
