#!/usr/bin/env python3
"""Which words tell two kinds of text apart: a bag of words, logistic regression, the words it chose.

Usage: text.py [PICTURE.png]
The texts are 658 paragraphs of the documents of STRADS itself (tests/datasets/paragraphs). The question: does a
paragraph come from a document about clusters, or from one about models and data?
"""
import pathlib
import sys

import numpy as np
import pandas as pd
import strads
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

ABOUT_CLUSTERS = ["CLUSTER", "PROTOCOL", "RELIABILITY", "SECURITY", "SIMULATION"]
FILE = pathlib.Path(__file__).parents[2] / "tests/datasets/paragraphs/paragraphs.tsv.gz"

table = pd.read_csv(FILE, sep="\t", quoting=3)
y = table.document.isin(ABOUT_CLUSTERS).to_numpy()
train, test, y_train, y_test = train_test_split(table.text, y, test_size=0.25, random_state=0, stratify=y)

# A column for each word and pair of words. By columns (CSC) it is used where it lies.
words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, stop_words="english")
X = words.fit_transform(train).tocsc()
print(f"{X.shape[0]} paragraphs x {X.shape[1]} words and pairs, {X.nnz} entries that are not 0")

# A path of 50 values of C on all paragraphs, and one without each of five folds.
model = strads.LogisticRegressionCV(Cs=50, eps=0.01, cv=5).fit(X, y_train)
print(f"C {model.C_[0]:.4g} has the least deviance; {np.count_nonzero(model.coef_)} words and pairs are used")
print(f"the duality gap is at most {model.relative_gap_:.0e} of the objective")

X_test = words.transform(test)
print(f"of {len(y_test)} other paragraphs {model.score(X_test, y_test):.1%} are told right "
      f"({np.mean(~y_test):.1%} are about models and data)")

order = np.argsort(model.coef_[0])
names = words.get_feature_names_out()
print("models and data:", ", ".join(names[order[:8]]))
print("clusters:       ", ", ".join(names[order[:-9:-1]]))

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, (left, right) = plt.subplots(1, 2, figsize=(8.8, 4), layout="constrained")
    model.plot(ax=left, color="#0072B2")
    left.legend(loc="upper right", framealpha=1)
    left.set_xticks([0.2, 0.5, 1, 2, 5, 10, 20], ["0.2", "0.5", "1", "2", "5", "10", "20"])
    left.minorticks_off()
    left.set_xlabel("C (no unit)")
    left.set_ylabel("binomial deviance (no unit)")
    left.set_title("Deviance of paragraphs held out")
    chosen = np.concatenate([order[:10], order[-10:]])
    right.barh(names[chosen], model.coef_[0][chosen], color=np.where(model.coef_[0][chosen] > 0, "#D55E00", "#0072B2"))
    right.set_xlabel("coefficient: log-odds of clusters per unit of tf-idf")
    right.set_title("Words with the largest coefficients")
    fig.savefig(sys.argv[1], dpi=130)
