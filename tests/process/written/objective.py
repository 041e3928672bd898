"""Objective, deviance, lambda_max and gap of a written model, on the scale of the data: docs/MODELS.md in numpy, sharing no
code with the programs. Sums are in extended precision, so that what rounding explains is that of the programs.

What rounding explains. Let eps = 2^-53, m_i = |y_i| + |offset_i| + |b0| + sum_j |x_ij beta_j| + sum_k |c_ik gamma_k| the
size of what is added up for sample i, u_i the slope of its loss (the residual, or weight x (t - p)) and q_i its curvature.
A model in double precision knows each linear predictor to K eps m_i, and each norm s_j of a column with mean mu_j to
K eps (1 + |mu_j| sqrt(N) / s_j) s_j. To first and second order that is in the objective

    K eps sum_i |u_i| m_i  +  (K eps)^2 / 2 sum_i q_i m_i^2  +  K eps sum_j (1 + |mu_j| sqrt(N) / s_j) penalty_j

with K = 64. Gradients x~_j'u are known to K eps ||x~_j|| times || sqrt(w) q m + u ||, and the scale s of the dual point to
that over A_j."""
import numpy as np

EPS = 2.0**-53
K = 64.0
wide = np.longdouble


def penalty_shares(problem, weight):
    """(A, E) / lambda before penalty factors: the penalty is lambda f_j (A |b_j| + E b_j^2 / 2) on the solver's scale.
    The one place that says what --l1-ratio between 0 and 1 means."""
    ratio = problem.l1_ratio
    if problem.family == "binomial" and 0 < ratio < 1 and problem.scale and GLMNET_RATIO:
        return ratio, (1 - ratio) / np.sqrt(weight)
    return ratio, 1 - ratio


GLMNET_RATIO = True  # of two classes: 0 < --l1-ratio < 1 is glmnet's alpha, on columns of variance 1


class Standard:
    """The problem on the rows that count, standardised: what is the same for all lambdas."""

    def __init__(self, problem, rows=None, among=None):
        """rows: those that train, of those that take part in the run (among). Their weights have the sum of their number."""
        self.problem = problem
        weights = np.ones(problem.n) if problem.weights is None else problem.weights
        among = np.ones(problem.n, bool) if among is None else among
        among = among & (weights > 0)
        self.rows = among if rows is None else among & rows
        self.w = weights[self.rows].astype(wide) * (wide(self.rows.sum()) / weights[self.rows].astype(wide).sum())
        self.n = self.w.sum()
        self.samples = len(self.w)
        self.x = problem.x[self.rows]
        self.missing = np.isnan(self.x)
        if self.missing.any():
            self._fill()
        self.y = problem.y[self.rows].astype(wide)
        self.offset = None if problem.offset is None else problem.offset[self.rows].astype(wide)
        self.covariates = problem.covariates[self.rows]
        share = self.w / self.n
        columns = self.x.astype(wide)
        mean = share @ columns
        self.spread = columns - mean  # w-centred
        norm = np.sqrt(self.w @ self.spread**2)
        size = np.abs(self.x).max(axis=0)
        self.constant = np.asarray(norm <= 1e-11 * np.sqrt(self.n) * size)
        if not problem.center and not (problem.family == "binomial" and problem.intercept):
            self.constant = size == 0
        self.mean = mean if problem.center else np.zeros_like(mean)
        if not problem.center:
            self.spread = columns
            norm = np.sqrt(self.w @ columns**2)
        self.length = norm
        self.s = norm if problem.scale else np.ones_like(norm)
        self.s = np.where(self.s > 0, self.s, 1)
        self.binomial = problem.family == "binomial"
        if self.binomial:
            self.y_mean, self.y_norm = wide(0), wide(1)
        else:
            self.y_mean = share @ self.y if problem.center_y else wide(0)
            self.y_norm = np.sqrt(self.w @ (self.y - self.y_mean) ** 2) if problem.scale_y else wide(1)
        self.factors = np.ones(self.x.shape[1]) if problem.factors is None else problem.factors
        self.takes_part = ~self.constant & np.isfinite(self.factors)
        self.free = self.takes_part & (self.factors == 0)
        self.shares = penalty_shares(problem, self.n)
        self.basis = self._basis()
        self.squares_error = wide(0)  # of shares[1]: where a host computes the ratio, 1 - ratio has the rounding of a 1
        self._null = None

    def _fill(self):
        """A missing value counts as the weighted mean of the others."""
        known = ~self.missing
        total = (self.w[:, None] * known).sum(axis=0)
        sums = (self.w[:, None] * np.where(known, self.x, 0)).sum(axis=0)
        self.x = np.where(self.missing, np.asarray(sums / np.where(total > 0, total, 1), float), self.x)

    def _basis(self):
        """Orthonormal columns sqrt(w) o (what has no penalty)."""
        root = np.sqrt(self.w)
        columns = []
        constant = self.problem.intercept if self.binomial else self.problem.center and self.problem.center_y
        if constant:
            columns.append(root)
        for c in self.covariates.T.astype(wide):
            size = np.abs(c).max()
            c = c / size if size > 0 else c
            c = c - (self.w @ c) / self.n if constant else c
            if np.sqrt(self.w @ c**2) > 1e-10 * np.sqrt(self.n):
                columns.append(root * c)
        columns += [root * self.spread[:, j] / self.length[j] for j in np.flatnonzero(self.free)]
        basis = []
        for v in columns:
            before = np.sqrt(v @ v)
            for _ in range(2):
                for q in basis:
                    v = v - (q @ v) * q
            length = np.sqrt(v @ v)
            if length > 1e-10 * before:
                basis.append(v / length)
        return np.array(basis, dtype=wide).reshape(len(basis), self.samples)

    def away(self, v):
        return v - (self.basis @ v) @ self.basis if len(self.basis) else v

    @property
    def null(self):
        """(loss of the model of what has no penalty, its slopes sqrt(w) o ..., whether it is known)."""
        if self._null is None:
            self._null = self._fit_null()
        return self._null

    def _fit_null(self):
        root = np.sqrt(self.w)
        if not self.binomial:
            r = self.away(root * (self.y - self.y_mean) / self.y_norm)
            return (r @ r) / 2, r, True
        offset = np.zeros(self.samples, wide) if self.offset is None else self.offset
        if not len(self.basis):
            return self._loss(offset), root * (self.y - sigmoid(offset)), True
        directions = np.asarray(self.basis / root, float).T  # eta = offset + directions @ c
        c = self._null_start(directions, offset)
        loss, eta = None, None
        known = False
        for _ in range(200):
            eta = offset + directions @ c
            loss = self._loss(eta)
            p = sigmoid(eta)
            slope = directions.T @ np.asarray(self.w * (self.y - p), float)
            curvature = (directions.T * np.asarray(self.w * p * (1 - p), float)) @ directions
            try:
                step = np.linalg.lstsq(curvature, slope, rcond=1e-14)[0]
            except np.linalg.LinAlgError:
                break
            descent = slope @ step
            if descent <= 1e-17 * float(loss) + 1e-300:
                known = True
                break
            t = 1.0
            while t > 1e-12 and self._loss(offset + directions @ (c + t * step)) > loss - 1e-4 * t * descent:
                t /= 2
            if t <= 1e-12:
                known = descent <= 1e-13 * float(loss)
                break
            c = c + t * step
        return loss, root * (self.y - sigmoid(eta)), known

    def _null_start(self, directions, offset):
        """Least squares of -offset, so that no sample begins in the flat part of its loss."""
        w = np.sqrt(np.asarray(self.w, float))
        return np.linalg.lstsq(directions * w[:, None], -np.asarray(offset, float) * w, rcond=None)[0]

    def _loss(self, eta):
        return self.w @ log1pexp(np.where(self.y > 0, -eta, eta))

    def lambda_max(self):
        """The smallest lambda at which nothing is in the model (of ridge by the convention of a = 0.001), and what rounding
        may change of it."""
        _, u, _ = self.null
        part = self.takes_part & ~self.free
        root = np.sqrt(self.w)
        g = (root * u) @ self.spread / self.s
        share = self.shares[0] if self.shares[0] > 0 else wide(0.001)
        if self.shares[0] == 0 and self.binomial:
            share = share * (np.sqrt(self.n))
        h = np.where(part, g / (share * np.where(self.factors > 0, self.factors, 1)), 0)
        h = np.maximum(h, 0) if self.problem.nonnegative else np.abs(h)
        return h.max()

    def separated(self):
        """Whether a direction of what has no penalty never raises the loss (Albert and Anderson), by a linear program."""
        from scipy.optimize import linprog

        if not self.binomial or not len(self.basis):
            return False
        z = np.asarray(self.basis / np.sqrt(self.w), float).T * np.where(np.asarray(self.y) > 0, 1.0, -1.0)[:, None]
        z /= np.abs(z).max()
        found = linprog(-z.sum(axis=0), A_ub=-z, b_ub=np.zeros(len(z)), bounds=[(-1, 1)] * z.shape[1], method="highs")
        return bool(-found.fun > 1e-7)


def sigmoid(eta):
    e = np.exp(-np.abs(eta))
    return np.where(eta >= 0, 1 / (1 + e), e / (1 + e))


def log1pexp(v):
    return np.maximum(v, 0) + np.log1p(np.exp(-np.abs(v)))


class Evaluated:
    """One model at one lambda (of the solver's scale)."""

    def __init__(self, standard, lam, intercept, columns, values, covariates, link=None):
        st, problem = standard, standard.problem
        self.standard, self.lam = st, wide(lam)
        columns = np.asarray(columns, int)
        beta = np.asarray(values, wide)
        x = st.x[:, columns].astype(wide)
        eta = x @ beta + wide(intercept)
        m = np.abs(x) @ np.abs(beta) + np.abs(wide(intercept))
        if len(covariates):
            gamma = np.asarray(covariates, wide)
            eta = eta + st.covariates.astype(wide) @ gamma
            m = m + np.abs(st.covariates).astype(wide) @ np.abs(gamma)
        if st.offset is not None:
            eta, m = eta + st.offset, m + np.abs(st.offset)
        self.eta, self.size = eta, m
        if link is not None:
            eta = link[st.rows].astype(wide)
        root = np.sqrt(st.w)
        if st.binomial:
            self.loss = st._loss(eta)
            p = sigmoid(eta)
            u, q = root * (st.y - p), p * (1 - p)
        else:
            m = m + np.abs(st.y)
            u, q = root * (st.y - eta) / st.y_norm, np.ones(st.samples, wide)
            self.loss = (u @ u) / 2
            m = m / st.y_norm
        self.u, self.q, self.m = u, q, m
        self.b = beta * st.s[columns] / st.y_norm
        factors = st.factors[columns].astype(wide)
        a, e = self.lam * st.shares[0] * factors, self.lam * st.shares[1] * factors
        penalties = a * np.abs(self.b) + e * self.b**2 / 2
        self.objective = self.loss + penalties.sum()
        ke = wide(K * EPS)
        self.norm_error = 1 + np.abs(st.mean[columns]) * np.sqrt(st.n) / st.s[columns] if problem.scale else 1.0
        self.loss_rounding = ke * (np.abs(u) * root) @ m + ke**2 / 2 * (st.w * np.maximum(q, ke)) @ m**2
        ratio = self.lam * st.squares_error * (factors * self.b**2).sum() / 2
        self.rounding = self.loss_rounding + ratio + ke * (penalties * self.norm_error).sum() + ke * self.loss
        self.columns = columns

    def deviance_ratio(self):
        """(ratio, what rounding may change of it)."""
        null = self.standard.null[0]
        return 1 - self.loss / null, (self.loss_rounding + K * EPS * (self.loss + null)) / null

    def settled(self):
        """What a Newton step of intercept, covariates and the like would still take off the loss."""
        st = self.standard
        if not len(st.basis):
            return wide(0)
        slope = np.asarray(st.basis @ self.u, float)
        curvature = np.asarray((st.basis * self.q) @ st.basis.T, float)
        return wide(slope @ np.linalg.lstsq(curvature, slope, rcond=1e-13)[0]) / 2

    def gap(self):
        """(duality gap from the model as it was read back, what rounding may change of it)."""
        st = self.standard
        part = st.takes_part & ~st.free
        root = np.sqrt(st.w)
        u = st.away(self.u)
        b = np.zeros(st.x.shape[1], wide)
        b[self.columns] = self.b
        lam_a, lam_e = self.lam * st.shares[0] * st.factors, self.lam * st.shares[1] * st.factors
        lam_a, lam_e = np.where(part, lam_a, 0), np.where(part, lam_e, 0)
        g = (root * u) @ st.spread / st.s
        h = np.where(part, g - lam_e * b, 0)
        length = np.where(part, st.length / st.s, 0)
        noise = wide(K * EPS) * (np.sqrt(np.sum((root * self.q * self.m) ** 2)) + np.sqrt(u @ u)) * length
        if st.shares[0] == 0:
            e = np.where(lam_e > 0, lam_e, 1)
            return (h**2 / (2 * e)).sum(), ((2 * np.abs(h) + noise) * noise / (2 * e)).sum()
        one_sided = np.maximum(h, 0) if st.problem.nonnegative else np.abs(h)
        live = part & (one_sided > 0)
        most = (lam_a[live] / one_sided[live]).min() if live.any() else wide(np.inf)
        shift = (noise[live] / lam_a[live]).max() if live.any() else wide(0)
        squares = (lam_e * b * b).sum()
        product, norms = (h * b).sum(), (lam_a * np.abs(b)).sum()
        if st.binomial:
            s = min(wide(1), most)
            q = np.where(st.y > 0, sigmoid(-self.eta), sigmoid(self.eta))
            gap = st.w @ divergence(s, q) + norms - s * product + (1 - s) ** 2 / 2 * squares
            norm = u @ u / np.maximum(self.q.max(), 1e-3)
        else:
            r = u @ u + squares
            y = st.away(root * (st.y - st.y_mean) / st.y_norm)
            s = min((y @ u) / r if r > 0 else wide(1), most)
            s = max(s, 0 if st.problem.nonnegative else -most)
            gap = (1 - s) ** 2 / 2 * r + norms - s * product
            norm = r
        shift = shift * max(abs(s), 1)
        slack = (abs(1 - s) * norm + (np.abs(h * b)).sum()) * shift + norm * shift**2 + (noise * np.abs(b)).sum()
        return gap, slack


def divergence(s, q):
    """KL(s q || q), a sum without cancellation where s is near 1."""
    q = np.clip(q, wide(1e-4900), 1 - wide(1e-19))
    d = 1 - s
    first = s * q * np.log(s) if s > 0 else 0 * q
    return first + (1 - s * q) * np.log1p(d * q / (1 - q))
