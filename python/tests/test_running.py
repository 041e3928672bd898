"""While a fit runs: callbacks, Ctrl-C, threads, forks, and what a hundred fits leave behind."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import unittest
import warnings

import numpy as np
import scipy.sparse

import strads
from support import GENOTYPES, problem


def memory(field="VmRSS"):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field + ":")) << 10


class Callbacks(unittest.TestCase):
    def test_a_callback_hears_and_ends_a_fit(self):
        x, y = problem()
        heard = []
        with self.assertWarns(Warning):
            fitted = strads.Lasso(0.01, callback=lambda facts: heard.append(facts) or len(heard) == 2).fit(x, y)
        self.assertEqual(heard[0]["event"], "started")
        self.assertGreater(fitted.relative_gap_, 0)

    def test_an_exception_of_a_callback_comes_out(self):
        x, y = problem()

        def fail(facts):
            raise LookupError("of the callback")

        estimator = strads.Lasso(0.01, callback=fail)
        with self.assertRaisesRegex(LookupError, "of the callback"):
            estimator.fit(x, y)

    def test_a_bar(self):
        x, y = problem()
        with open(os.devnull, "w") as nowhere:
            bar = strads.progress_bar(file=nowhere)
            strads.Lasso(0.01, callback=bar).fit(x, y)
            bar.close()

    def test_convergence_is_kept(self):
        x, y = problem()
        kept = strads.Convergence()
        strads.Lasso(0.01, callback=kept).fit(x, y)
        self.assertTrue(any(one["event"] == "certificate" for one in kept.events))


class Interrupts(unittest.TestCase):
    def test_control_c_ends_in_order_with_what_is_certified(self):
        x, y = problem()

        def interrupt(facts):
            if facts["event"] == "certificate":
                os.kill(os.getpid(), signal.SIGINT)

        # A tolerance that cannot be met keeps it going until the signal is seen.
        estimator = strads.Lasso(0.01, tol=0.0, callback=interrupt, options={"policy": "uniform"})
        before = signal.getsignal(signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            estimator.fit(x, y)
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertGreaterEqual(estimator.dual_gap_, 0)
        self.assertEqual(estimator.coef_.shape, (200,))

    def test_control_c_ends_paths_cross_validations_and_factorizations(self):
        x, y = problem()
        random = np.random.default_rng(0)
        users, items = np.divmod(random.choice(1200, size=500, replace=False), 30)
        heard = []

        def interrupt(facts):
            heard.append(facts)
            if len(heard) == 8:
                os.kill(os.getpid(), signal.SIGINT)

        endless = {"n_jobs": 2, "callback": interrupt, "options": {"policy": "uniform"}, "tol": 0.0}
        for estimator, data in ((strads.LassoPath(alphas=[0.3, 0.01], **endless), (x, y)),
                                (strads.LassoCV(n_alphas=5, cv=3, **endless), (x, y)),
                                (strads.LogisticRegressionCV(Cs=5, cv=3, **endless), (x, y > 0)),
                                (strads.MatrixFactorization(2, max_iter=10**6, early_stopping=False, tol=0.0,
                                                            callback=interrupt), ((users, items, random.normal(size=500)),))):
            heard.clear()
            with self.assertRaises(KeyboardInterrupt):
                estimator.fit(*data)
            self.assertEqual(estimator.stop_reason_, "signal")
        strads.LassoCV(n_alphas=5, cv=3).fit(x, y)  # nothing is left of it


class Processes(unittest.TestCase):
    def test_threads_do_not_know_of_each_other(self):
        problems = [problem(seed=seed) for seed in range(6)]
        alone = [strads.Lasso(0.1).fit(x, y).beta_hash_ for x, y in problems]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            together = list(pool.map(lambda one: strads.Lasso(0.1).fit(*one).beta_hash_, problems))
        self.assertEqual(together, alone)

    def test_a_fork_after_a_fit_can_fit(self):
        x, y = problem()
        expected = strads.Lasso(0.1).fit(x, y).beta_hash_
        child = os.fork()
        if child == 0:
            os._exit(0 if strads.Lasso(0.1).fit(x, y).beta_hash_ == expected else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_forks_after_a_cross_validation_can_fit(self):
        x, y = problem()
        fitted = strads.LassoCV(n_alphas=5, cv=3, n_jobs=2).fit(x, y)
        with multiprocessing.get_context("fork").Pool(2) as pool:  # sends estimators and results as pickles
            found = pool.starmap_async(fitted.fit, [(x, y)] * 3).get(60)
        self.assertEqual([one.path_hash_ for one in found], [fitted.path_hash_] * 3)

    def leaves_nothing(self, fit, times, warm_up=20):
        for _ in range(warm_up):
            fit()
        before, threads, files = memory(), memory("Threads"), len(os.listdir("/proc/self/fd"))
        for _ in range(times):
            fit()
        self.assertEqual((memory("Threads"), len(os.listdir("/proc/self/fd"))), (threads, files))
        self.assertLess(memory() - before, 8 << 20)

    def test_a_hundred_fits_leave_nothing_behind(self):
        x, y = problem(samples=100, features=2000)  # 1.6 MB
        self.leaves_nothing(lambda: strads.Lasso(0.2).fit(x, y), 100)

    def test_a_hundred_fits_of_all_kinds_leave_nothing_behind(self):
        x, y = problem(samples=60, features=2000)  # 1 MB
        sparse = scipy.sparse.csc_matrix(np.where(np.abs(x) > 1, x, 0))
        genotypes, trait = strads.Bed(GENOTYPES / "chr2-eur"), np.random.default_rng(0).normal(size=503)
        users, items = np.divmod(np.random.default_rng(0).choice(1200, size=500, replace=False), 30)

        def fit():
            strads.Lasso(0.2).fit(sparse, y, covariates=x[:, :2])
            strads.LogisticRegressionCV(Cs=3, eps=0.3, cv=3, n_jobs=2).fit(x, y > 0)
            strads.Lasso(0.15, scale=True).fit(genotypes, trait)
            strads.MatrixFactorization(3, max_iter=3, tol=1e-9).fit((users, items, trait[:500]))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ended early
            self.leaves_nothing(fit, 25, 6)

    def test_nothing_is_printed_and_the_umask_stays(self):
        script = ("import os, numpy as np, strads\nos.umask(0o27)\n"
                  "x = np.asfortranarray(np.random.default_rng(0).normal(size=(30, 50)))\n"
                  "strads.Lasso(0.1).fit(x, x[:, 0])\nassert os.umask(0) == 0o27\n")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


class Memory(unittest.TestCase):
    """X is not copied: the peak of a process of its own grows by less than half of X."""

    SCRIPT = """
import numpy as np, scipy.sparse, strads, sys
random = np.random.default_rng(0)
if sys.argv[1] == "dense":
    x = np.empty((1000, 8000), order="F")
    for j in range(8000): x[:, j] = random.normal(size=1000)
    size = x.nbytes
else:
    starts = np.arange(40001, dtype=np.int64) * 100
    rows = (np.arange(4000000) * 10 % 1000).astype(np.int32)
    rows = np.sort(rows.reshape(40000, 100), axis=1).ravel()
    x = scipy.sparse.csc_matrix((random.uniform(1, 2, size=4000000), rows, starts), shape=(1000, 40000))
    x.has_canonical_format
    size = x.data.nbytes + x.indices.nbytes
y = np.asarray(x[:, 0] if sys.argv[1] == "dense" else x[:, 0].toarray().ravel()) + random.normal(size=1000)
strads.Lasso(0.5).fit(np.asfortranarray(random.normal(size=(20, 30))), random.normal(size=20))
def peak():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM:")) << 10
open("/proc/self/clear_refs", "w").write("5")
before = peak()
strads.Lasso(0.05).fit(x, y)
print((peak() - before) / size)
"""

    def grown(self, kind):
        done = subprocess.run([sys.executable, "-B", "-c", self.SCRIPT, kind], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout)

    def test_of_dense_columns(self):
        self.assertLess(self.grown("dense"), 0.5)

    def test_of_sparse_columns(self):
        self.assertLess(self.grown("sparse"), 0.5)


if __name__ == "__main__":
    unittest.main()
