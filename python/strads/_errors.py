"""What can go wrong, as Python has it. The texts are those of the programs."""

from . import _strads


class StradsError(RuntimeError):
    """Something went wrong that is neither an option nor data."""


class UsageError(ValueError):
    """An option that does not exist, has a value that it cannot have, or does not go with another one."""


class InputError(ValueError):
    """Data that cannot be used: where, what was found, what was expected."""


class CopyWarning(UserWarning):
    """X was copied: it is not in Fortran order (or CSC), or its numbers are none that are used where they lie."""


_strads.use_errors(UsageError, InputError, StradsError)
