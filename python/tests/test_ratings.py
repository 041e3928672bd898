"""Ratings in the forms in which people have them: each is understood, the same ratings, or refused; never something else."""

import unittest
import warnings

import numpy as np
import pandas as pd
import scipy.sparse

import strads

USERS, ITEMS = 40, 20


def triples(seed=0):
    random = np.random.default_rng(seed)
    places = random.permutation(USERS * ITEMS)[:400]
    users, items = np.divmod(places, ITEMS)
    return users, items, np.round(np.clip(3 + random.normal(size=USERS)[users] + random.normal(size=ITEMS)[items], 1, 5))


def factors(**more):
    return strads.MatrixFactorization(2, max_iter=4, n_jobs=1, **more)


class Columns:
    """A table as those of other packages: names and columns, without an index."""

    def __init__(self, columns):
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name):
        return self._columns[name]


class Ratings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.u, cls.i, cls.v = triples()
        cls.table = np.c_[cls.u, cls.i, cls.v]
        cls.frame = pd.DataFrame({"userId": cls.u, "movieId": cls.i, "rating": cls.v, "timestamp": 964982703 + cls.u})
        cls.right = factors().fit((cls.u, cls.i, cls.v))

    def same(self, X, y=None, right=None):
        fitted = factors().fit(X, y)
        self.assertEqual(fitted.model_hash_, (right or self.right).model_hash_)
        return fitted

    def refused(self, text, X, y=None):
        with self.assertRaisesRegex(strads.InputError, text):
            factors().fit(X, y)


class Fits(Ratings):
    def test_triples(self):
        u, i, v = self.u, self.i, self.v
        for X in ((u, i, v), [u, i, v], (u.tolist(), i.tolist(), v.tolist()), (u.astype(np.uint8), i.astype(float), v),
                  (pd.Series(u), pd.Series(i), pd.Series(v)), (u, i, v.astype(object)), (pd.array(u, dtype="Int64"), i, v)):
            self.same(X)

    def test_tables(self):
        frame, (u, i, v) = self.frame, (self.u, self.i, self.v)
        shuffled = frame[["timestamp", "rating", "movieId", "userId"]]
        records = list(zip(u.tolist(), i.tolist(), v.tolist()))
        for X in (self.table, self.table.astype(int), self.table.astype(object), records, [list(one) for one in records], list(self.table),
                  pd.DataFrame(self.table), frame, shuffled, frame.rename(columns={"userId": "user", "movieId": "item"}),
                  dict(user=u, item=i, rating=v), {"user_id:token": u, "item_id:token": i, "rating:float": v}, Columns({"user_id": u, "item_id": i, "rating": v}),
                  frame.to_records(index=False), frame.set_index(["userId", "movieId"])[["rating"]],
                  frame.set_index(["userId", "movieId"]).rating, frame.set_index(["movieId", "userId"]).rating,
                  frame.astype({"userId": "Int64", "movieId": "category"}), np.ma.masked_array(self.table)):
            self.same(X)

    def test_pairs_and_y(self):
        for X in (self.table[:, :2], self.table[:, :2].astype(int), (self.u, self.i), list(zip(self.u, self.i)),
                  self.frame[["movieId", "userId"]], pd.DataFrame(self.table[:, :2])):
            for y in (self.v, self.v.tolist(), pd.Series(self.v), pd.DataFrame(self.v)):
                self.same(X, y)

    def test_matrices(self):
        entries = scipy.sparse.coo_matrix((self.v, (self.u, self.i)), shape=(USERS, ITEMS))
        rows = entries.tocsr()
        dense = np.full((USERS, ITEMS), np.nan)
        dense[self.u, self.i] = self.v
        right = factors().fit(rows)
        frame = pd.DataFrame(dense)
        for X in (dense, frame, self.frame.pivot(index="userId", columns="movieId", values="rating"), frame.astype(object),
                  np.ma.masked_array(np.nan_to_num(dense), np.isnan(dense)), dense.astype(np.float32), rows.astype(np.int8)):
            self.same(X, right=right)
        self.same(entries)

    def test_labels_of_a_pivot_table_are_ids(self):
        names = self.frame.assign(userId=[f"u{k}" for k in self.u], movieId=self.i * 7 + 3)
        pivot = names.pivot(index="userId", columns="movieId", values="rating")
        fitted, right = factors().fit(pivot), factors().fit(names.sort_values(["userId", "movieId"]))
        self.assertEqual(fitted.model_hash_, right.model_hash_)
        self.assertEqual(fitted.item_ids_.tolist(), sorted(set(names.movieId)))
        np.testing.assert_array_equal(fitted.predict((["u3"], [10])), right.predict((["u3"], [10])))
        np.testing.assert_allclose(fitted.score(pivot), right.score(names), rtol=1e-6)

    def test_what_could_be_two_things_is_refused(self):
        dense = np.zeros((USERS, ITEMS), dtype=int)
        dense[self.u, self.i] = self.v
        frame = self.frame
        for text, X in (("40 x 20 without NaN: .*csr_matrix", dense), ("40 x 20 without NaN", pd.DataFrame(dense)),
                        ("3 x 400, .*give X.T", self.table.T), ("3 x 3 could be", self.table[:3]), ("could be columns or records", self.table[:3].tolist()),
                        ("400 x 2 has no ratings", self.table[:, :2]), ("400 x 4 without NaN: .*its first three", frame.to_numpy()), ("400 x 4 without NaN", pd.DataFrame(frame.to_numpy())),
                        ("400 x 3 with missing", np.where(self.table == 5, np.nan, self.table)),
                        ("400 x 4: .*its first three", frame.assign(timestamp=np.nan).to_numpy()),
                        ("expected a tuple", [self.u, self.i]), ("shape \\(400,\\)", self.v), ("found str|single values", ("a", "b", "c")),
                        ("found zip", zip(self.u, self.i, self.v)), ("columns are 'abc', 'def', 'ghi'", pd.DataFrame(self.table, columns=["abc", "def", "ghi"])),
                        ("no column that is known as rating", frame[["userId", "movieId", "timestamp"]]),
                        ("2 columns of a user: 'userId', 'uid'", frame.assign(uid=1)), ("two columns have one name", pd.concat([frame, frame], axis=1)),
                        ("set_index", frame.pivot(index="userId", columns="movieId", values="rating").add_prefix("m").reset_index()),
                        ("sparse.to_coo", pd.DataFrame.sparse.from_spmatrix(scipy.sparse.csr_matrix(dense))),
                        ("found 400, 400, 399", (self.u, self.i, self.v[1:])), ("tables or matrices", [dense, dense, dense]), ("empty list", []), (r"X.reset_index\(\)", frame.set_index("userId")),
                        ("ratings: none", self.table[:0]), ("found int", 3), ("ratings: none", scipy.sparse.csr_matrix((3, 3)))):
            with self.subTest(text):
                self.refused(text, X)
        for X in (self.table, frame, (self.u, self.i, self.v), scipy.sparse.csr_matrix(dense)):
            self.refused("given twice", X, self.v)
        self.refused("found 400, 400, 399", self.table[:, :2], self.v[1:])

    def test_masks_and_flags_are_no_ratings(self):
        known = scipy.sparse.coo_matrix((self.v > 0, (self.u, self.i)))
        for X in (known, known.tocsr(), known.toarray(), (self.u, self.i, self.v > 0), (self.u, self.i, (self.v > 0).astype(object)),
                  pd.DataFrame(known.toarray()), self.frame.assign(rating=True), np.where(known.toarray(), True, np.nan).astype(object) == 1):
            self.refused("True", X)
        self.refused("users: found True and False, flags", (self.u > 3, self.i, self.v))
        self.refused("y: found True and False", self.table[:, :2], self.v > 3)
        self.refused("entry 2 is masked", (self.u, self.i, np.ma.masked_array(self.v, np.arange(400) == 2)))
        for value in ("maybe", 2):
            with self.assertRaisesRegex(ValueError, "bias"):
                factors(bias=value).fit((self.u, self.i, self.v))
        same = [factors(options={"clip": flag}).fit((self.u, self.i, self.v)).range_ for flag in (False, np.bool_(False), "off")]
        self.assertEqual(same, [(-np.inf, np.inf)] * 3)

    def test_ratings_that_are_no_numbers(self):
        for value, text in ((np.nan, "entry 7 is missing"), (np.inf, "entry 7 is infinite"), (None, "entry 7 is missing"), (pd.NA, "entry 7 is missing"),
                            ("good", "entry 7 is 'good', expected a number")):
            values = self.v.astype(object)
            values[7] = value
            self.refused(text, (self.u, self.i, values))
            self.refused(text, self.frame.assign(rating=values))
            self.refused(text, self.table[:, :2], values)
        values = np.where(np.arange(400) == 7, np.inf, self.v)
        self.refused(f"row {self.u[7]}, column {self.i[7]} is infinite", scipy.sparse.coo_matrix((values, (self.u, self.i))))
        self.refused("found complex128", (self.u, self.i, self.v + 0j))
        self.refused("found datetime64", (self.u, self.i, self.v.astype("datetime64[s]")))
        self.refused("expected a finite number|too large", (self.u, self.i, self.v * 1e300))

    def test_ids_that_are_none(self):
        def at_2(value):
            ids = self.u.astype(object)
            ids[2] = value
            return ids

        for value, text in ((np.nan, "users: entry 2 is missing"), (None, "entry 2 is missing"), (pd.NA, "entry 2 is missing"), (-1, "entry 2 is -1.*pandas.factorize"),
                            (0.5, "entry 2 is 0.5, expected whole numbers"), ("x", "found int, str"), (True, "flags"), (2**63, "more than 64 bits"), ((1, 2), "found int, tuple")):
            with self.subTest(value):
                self.refused(text, (at_2(value), self.i, self.v))
        self.refused("16777216 and more as float32.*different ids are one number", np.c_[self.u + 2**24, self.i, self.v].astype(np.float32))
        self.refused("empty user", ([""] + ["a"] * 399, self.i, self.v))
        self.refused("control character", (["a\nb"] + ["a"] * 399, self.i, self.v))
        self.refused("found '7', .*|found int, str", ([7, "7"], [1, 2], [1.0, 2.0]))
        self.refused("found datetime64", (self.u.astype("datetime64[D]"), self.i, self.v))

    def test_large_numbers_and_text_are_ids(self):
        for big in (10**8, 4 * 10**9, 2**62):
            users, items = np.r_[self.u, big], np.r_[self.i, big - 1]
            for X in ((users, items, np.r_[self.v, 3]), np.c_[users, items, np.r_[self.v, 3].astype(int)]):
                fitted = factors().fit(X)
                self.assertEqual((fitted.user_factors_.shape, fitted.item_factors_.shape), ((USERS + 1, 2), (ITEMS + 1, 2)))
                self.assertEqual(fitted.user_ids_[-1], big)
                self.assertEqual(fitted.recommend(big, n=1)[0].dtype, np.int64)
                self.assertEqual(len(fitted.predict(([big, 3], [big - 1, 3]))), 2)
        entries = scipy.sparse.coo_matrix((self.v, (self.u * 10**8, self.i)))
        self.assertEqual(factors().fit(entries).user_ids_.tolist(), [10**8 * k for k in range(USERS)])
        self.assertEqual(factors().fit(np.c_[self.u * 10, self.i, self.v]).user_factors_.shape, (USERS, 2))

    def test_ids_decide_nothing_but_names(self):
        """Rows of the arrays are those of the ids, whatever their order."""
        order = np.random.default_rng(3).permutation(USERS)
        plain, names = factors(early_stopping=False), factors(early_stopping=False)
        plain.fit((self.u, self.i, self.v))
        names.fit(([f"user {order[k]:03}" for k in self.u], self.i, self.v))
        self.assertEqual(plain.model_hash_, names.model_hash_)
        np.testing.assert_array_equal(names.user_factors_[order], plain.user_factors_)
        np.testing.assert_array_equal(names.predict(([f"user {order[3]:03}"], [5])), plain.predict(([3], [5])))


class Predicts(Ratings):
    def test_pairs_in_every_form(self):
        want = self.right.predict((self.u[:5], self.i[:5]))
        pairs = self.table[:5, :2].astype(int)
        for X in (pairs, pairs.astype(float), pairs.tolist(), list(map(tuple, pairs.tolist())), pd.DataFrame(pairs), self.frame[:5], self.frame[["movieId", "userId"]][:5],
                  (self.u[:5].tolist(), self.i[:5].tolist()), self.table[:5], (self.u[:5], self.i[:5], self.v[:5]), (self.u[:5].astype(str), self.i[:5].astype(str)),
                  dict(user=self.u[:5], item=self.i[:5]), pd.MultiIndex.from_arrays([self.u[:5], self.i[:5]]), self.frame[:5].set_index(["userId", "movieId"]).rating):
            np.testing.assert_array_equal(self.right.predict(X), want)
        self.assertEqual(self.right.predict(([], [])).shape, (0,))
        for count in (1, 3, 4):  # 2 x 2 could be columns
            np.testing.assert_array_equal(self.right.predict(pairs[:count].tolist()), want[:count])

    def test_what_is_no_pairs_is_refused(self):
        sparse = scipy.sparse.csr_matrix((3, 3))
        for text, X in (("shape \\(2, 5\\).*X.T", self.table[:5, :2].T), ("2 x 2", self.table[:2, :2]), ("2 x 3", self.table[:2]), ("empty list", []), ("could be columns or records", [[1, 2], [3, 4]]),
                        ("single values", (7, 11)), ("single values", ("7", "11")), ("found 1 and 3", ([1], [1, 2, 3])), ("sparse", sparse), ("found str", "ratings.csv"),
                        ("shape \\(5, 4\\)", self.frame[:5].to_numpy()), ("flags", (self.u > 3, self.i)), ("entry 0 is missing", ([np.nan], [1])),
                        ("'abc', 'def'", pd.DataFrame(self.table[:, :2], columns=["abc", "def"]))):
            with self.subTest(text), self.assertRaisesRegex(strads.InputError, text):
                self.right.predict(X)

    def test_strangers_get_the_mean_and_the_known_bias(self):
        m = self.right
        with self.assertWarnsRegex(UserWarning, r"of 4 pairs 3 have a user that the fit has not seen \(-1, 999\) and 2 have an item .*\(-1, 10000000000\)"):
            found = m.predict(([-1, 999, 3, -1], [4, -1, 10**10, 5]))
        want = [m.mean_ + m.item_bias_[4], m.mean_, m.mean_ + m.user_bias_[3], m.mean_ + m.item_bias_[5]]
        np.testing.assert_allclose(found, np.clip(want, 1, 5), rtol=1e-6)
        with self.assertWarnsRegex(UserWarning, "1 have a user"):
            np.testing.assert_allclose(m.predict((["ann"], [4])), np.clip([want[0]], 1, 5), rtol=1e-6)

    def test_rows_without_ratings_are_strangers(self):
        wide = factors().fit(scipy.sparse.coo_matrix((self.v, (self.u, self.i)), shape=(USERS + 5, ITEMS + 5)))
        self.assertEqual(wide.user_factors_.shape, (USERS + 5, 2))
        with self.assertWarnsRegex(UserWarning, "1 have a user"):
            np.testing.assert_allclose(wide.predict(([USERS + 1], [0])), self.right.mean_ + self.right.item_bias_[:1], rtol=1e-6)
        with self.assertRaisesRegex(strads.InputError, "unknown to the model"):
            wide.recommend(USERS + 1)

    def test_recommendations(self):
        best, scores = self.right.recommend(3, n=ITEMS)
        self.assertEqual(sorted(best), list(range(ITEMS)))
        rows = scipy.sparse.csr_matrix((self.v, (self.u, self.i)))
        rated = np.unique(self.i[self.u == 3])
        for exclude in (rated, rated.tolist(), set(rated.tolist()), pd.Series(rated), np.isin(np.arange(ITEMS), rated), rows[3], rated.astype(str), np.r_[rated, -1, 999]):
            self.assertEqual(self.right.recommend(3, n=ITEMS, exclude=exclude)[0].tolist(), [k for k in best if k not in rated])
        np.testing.assert_array_equal(self.right.recommend("3")[0], best[:10])
        self.assertEqual(self.right.recommend(3, n=ITEMS, exclude=[0, 999])[0].tolist(), [k for k in best if k != 0])
        with self.assertWarnsRegex(UserWarning, "none of the 2 items of exclude"):
            self.right.recommend(3, exclude=[500, 501])
        for text, call in (("unknown to the model", lambda m: m.recommend(-1)), ("found 2 users", lambda m: m.recommend([1, 2])), ("n must be", lambda m: m.recommend(1, n=0)),
                           ("n must be", lambda m: m.recommend(1, n=2.5)), ("mask of shape", lambda m: m.recommend(1, exclude=np.ones(3, dtype=bool))), ("expected one row", lambda m: m.recommend(1, exclude=rows))):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                call(self.right)


class Scores(Ratings):
    def test_every_form(self):
        matrix = scipy.sparse.csr_matrix((self.v, (self.u, self.i)))
        fitted = factors().fit(matrix)
        want = -np.sqrt(np.mean((fitted.predict((self.u, self.i)) - self.v) ** 2))
        for X, y in ((matrix, None), ((self.u, self.i, self.v), None), (self.frame, None), (self.table, None), (self.table[:, :2], self.v)):
            self.assertAlmostEqual(fitted.score(X, y), want, places=5)

    def test_rows_of_another_matrix_are_other_users(self):
        matrix = scipy.sparse.csr_matrix((self.v, (self.u, self.i)))
        fitted = factors().fit(matrix[10:])
        with self.assertRaisesRegex(strads.InputError, "10 x 20, but the fit's was 30 x 20.*train_test_split"):
            fitted.score(matrix[:10])
        with self.assertRaisesRegex(strads.InputError, "has no ids, but the fit had"):
            factors().fit(self.frame).score(matrix)
        with self.assertRaisesRegex(strads.InputError, "found a path"):
            fitted.score("ratings.csv")


class Refits(Ratings):
    def test_nothing_stays_of_an_earlier_fit(self):
        model = factors()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(self.frame.assign(userId=[f"u{k}" for k in self.u]))
            model.fit(self.frame)
            self.assertEqual(model.user_ids_.tolist(), list(range(USERS)))
        first = set(vars(model))
        with self.assertRaises(strads.InputError):
            model.fit([1, 2, 3])
        self.assertEqual({name for name in first if name.endswith("_") or name.startswith("_")} & set(vars(model)), set())
        with self.assertRaisesRegex(ValueError, "not fitted"):
            model.predict(([1], [1]))


if __name__ == "__main__":
    unittest.main()
