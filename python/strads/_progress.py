"""A bar of tqdm as the callback of a fit."""


class progress_bar:
    """A callback that shows a fit as a line of tqdm: `Lasso(callback=strads.progress_bar())`.

    The bar counts the decades by which the relative gap has fallen towards `tolerance`.
    """

    def __init__(self, tolerance=1e-6, **options):
        import math

        from tqdm.auto import tqdm

        self._goal = -math.log10(tolerance)
        self._bar = tqdm(total=round(self._goal, 1), bar_format="{l_bar}{bar}| {postfix}", **options)

    def __call__(self, facts):
        import math

        gap = facts["relative_gap"]
        if gap > 0:
            done = min(self._goal, max(0.0, -math.log10(gap)))
            self._bar.update(max(0.0, round(done, 1) - self._bar.n))
        self._bar.set_postfix_str(
            f"{facts['seconds']:.1f} s, round {facts['rounds']}, objective {facts['objective']:.6g}, gap {gap:.2g}, "
            f"{facts['nonzeros']} nonzeros")
        return False

    def close(self):
        self._bar.close()

    # A bar belongs to a terminal: a copy of an estimator, or one that was read again, has none.
    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return (type(None), ())
