"""The subjects of bench/RESULTS.md, in the order of that document: each makes one table."""
from subjects import classes, engine, lasso, planning, ratings, right, topics

ALL = [*lasso.SUBJECTS, *classes.SUBJECTS, *right.SUBJECTS, *planning.SUBJECTS, *engine.SUBJECTS, *topics.SUBJECTS,
       *ratings.SUBJECTS]
