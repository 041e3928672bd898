#!/usr/bin/env python3
"""From genotypes to a score: choose lambda by cross-validation, look at the variants, score everybody.

Usage: genotypes.py [FOLDER]   (chr2-eur.bed, .bim, .fam and pheno.tsv; default: those of the tests)
The phenotype sim20 is simulated from 20 of the variants.
"""
import pathlib
import sys

import numpy as np
import pandas as pd
import strads

default = pathlib.Path(__file__).parents[2] / "tests/datasets/1000g-chr2-eur"
folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default

# X stays on disk: people are its rows, variants its columns.
genotypes = strads.Bed(folder / "chr2-eur")
print(f"{genotypes.shape[0]} people x {genotypes.shape[1]} variants")

# The phenotype, in the order of the people; who has none takes no part.
table = pd.read_csv(folder / "pheno.tsv", sep="\t", dtype={"FID": str, "IID": str})
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
