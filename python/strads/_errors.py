"""What can go wrong, as Python has it. _texts.py puts what the programs say in Python's words."""

import sys

from sklearn.exceptions import ConvergenceWarning as _ConvergenceWarning

from . import _strads


class StradsError(RuntimeError):
    """Something went wrong that is neither a parameter nor data."""


class UsageError(ValueError):
    """A parameter or option that does not exist, has a value that it cannot have, or does not go with another one."""


class InputError(ValueError):
    """Data that cannot be used: where, what was found, what was expected."""


class CopyWarning(UserWarning):
    """X was copied: it is not in Fortran order (or CSC), or its numbers are none that are used where they lie."""


class ConvergenceWarning(_ConvergenceWarning):
    """A solution does not meet the tolerance. It is kept, and its duality gap says how far from the optimum it may be.
    scikit-learn's class is the base of this one."""


_strads.use_errors(UsageError, InputError, StradsError)


def outside():
    """The stacklevel, of a warning in the function that calls this one, of the line that called the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("strads."):
        level, frame = level + 1, frame.f_back
    return level
