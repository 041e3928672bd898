#!/usr/bin/python3
"""How far the coefficients that logistic_net.R wrote are from the optimum: logistic_net.py FOLDER

The optimum of the variables that strads has: Newton's method on columns of variance 1, whose gradients are 80-bit sums,
until a step changes nothing. Whether it is that of all is the last check: no other variable's gradient reaches lambda."""
import pathlib
import sys

import numpy as np

folder, wide = pathlib.Path(sys.argv[1]), np.longdouble
alpha = wide(0.5)


def numbers(name):
    return np.fromfile(folder / f"{name}.bin")


y, lambdas = numbers("y"), numbers("lambda")
x = numbers("x").reshape(-1, len(y)).T.astype(wide)
means = x.mean(0)
deviations = np.sqrt(((x - means) ** 2).mean(0))
x = (x - means) / deviations
found = {path.stem: np.fromfile(path).reshape(len(lambdas), -1) for path in sorted(folder.glob("*_*.bin"))}

for k, penalty in enumerate(lambdas):
    start = found["strads_1e-12"][k, 1:] * deviations
    active = np.flatnonzero(start)
    signs = np.sign(start[active])
    a = np.column_stack([np.ones(len(y), wide), x[:, active]])
    b = np.concatenate([[wide(np.log(y.mean() / (1 - y.mean())))], start[active]])
    l2 = np.concatenate([[0], np.full(len(active), penalty * (1 - alpha))])
    for _ in range(100):
        p = 1 / (1 + np.exp(-(a @ b)))
        gradient = a.T @ (p - y) / len(y) + l2 * b
        gradient[1:] += penalty * alpha * signs
        curvature = (a * (p * (1 - p) / len(y))[:, None]).T @ a + np.diag(l2)
        step = np.linalg.solve(curvature.astype(float), gradient.astype(float))
        b = b - step
        if np.abs(step).max() < 1e-17:
            break
    others = np.ones(x.shape[1], bool)
    others[active] = False
    steepest = np.abs(x[:, others].T @ (p - y) / len(y)).max() / (penalty * alpha)
    assert np.abs(step).max() < 1e-17 and np.all(np.sign(b[1:]) == signs) and (steepest < 1 or k == 0)
    best = np.zeros(x.shape[1])
    best[active] = b[1:] / deviations[active]
    largest = np.abs(best).max() or 1
    print(f"lambda {penalty:.4g}, {len(active)} nonzeros, off by:",
          ", ".join(f"{name} {np.abs(one[k, 1:] - best).max() / largest:.1e}" for name, one in found.items()))
