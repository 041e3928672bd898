#!/usr/bin/env python3
"""From genotypes to a score: choose lambda by cross-validation, look at the variants, score everybody.

Usage: genotypes.py [PICTURE.png]
503 Europeans of the 1000 Genomes Project (tests/datasets/1000g-chr2-eur). The phenotype sim20 is simulated from 20 of the
variants.
"""
import pathlib
import sys

import numpy as np
import pandas as pd
import strads

FOLDER = pathlib.Path(__file__).parents[2] / "tests/datasets/1000g-chr2-eur"

# X stays on disk: people are its rows, variants its columns.
genotypes = strads.Bed(FOLDER / "chr2-eur")
print(f"{genotypes.shape[0]} people x {genotypes.shape[1]} variants")

# The phenotype, in the order of the people; who has none takes no part.
table = pd.read_csv(FOLDER / "pheno.tsv", sep="\t", dtype={"FID": str, "IID": str})
y = genotypes.samples.merge(table, how="left", on=["FID", "IID"])["sim20"].to_numpy()

# A path on all people and one without each of five folds. Variants are scaled, as `lasso cv` does it by itself.
model = strads.LassoCV(cv=5, n_alphas=50, eps=0.05, scale=True, choice="1se").fit(genotypes, y)
print(f"alpha {model.alpha_:.4g} has the least error, {model.alpha_1se_:.4g} is within one standard error of it")
print(f"{np.count_nonzero(model.coef_)} variants; the relative gap is {model.relative_gap_:.1e}")

chosen = genotypes.variants.assign(coefficient=model.coef_)
chosen = chosen[chosen.coefficient != 0].sort_values("coefficient", key=abs, ascending=False)
print(chosen.head().to_string(index=False))

score = model.predict(genotypes)
print(f"correlation of score and phenotype: {np.corrcoef(score, y)[0, 1]:.3f} (in the people of the fit)")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, (left, right) = plt.subplots(1, 2, figsize=(8.8, 4), layout="constrained")
    model.plot(ax=left, color="#0072B2")
    left.set_ylim(top=45)  # room for the legend
    left.legend(loc="upper right", framealpha=1)
    left.set_xticks([2, 1, 0.5, 0.2, 0.1], ["2", "1", "0.5", "0.2", "0.1"])
    left.minorticks_off()
    left.set_xlabel("alpha (unit of y)")
    left.set_ylabel("mean squared error (unit of y, squared)")
    left.set_title("Error of people held out")
    truth = pd.read_csv(FOLDER / "sim20-truth.tsv", sep="\t")
    position = genotypes.variants.position.astype(float) / 1e6
    for k, column in enumerate(truth.column - 1):
        right.axvline(position[column], color="#bbbbbb", linewidth=2, zorder=0, label=None if k else "of the truth")
    used = model.coef_ != 0
    right.vlines(position[used], 0, model.coef_[used], color="#D55E00")
    right.plot(position[used], model.coef_[used], "o", color="#D55E00", markersize=4, label="in the score")
    right.axhline(0, color="black", linewidth=0.6)
    right.set_ylim(top=1.75)
    right.legend(loc="upper left", ncol=2, framealpha=1)
    right.set_xlabel("position on chromosome 2 (million base pairs)")
    right.set_ylabel("coefficient (unit of y per copy of A1)")
    right.set_title("Variants")
    fig.savefig(sys.argv[1], dpi=130)
