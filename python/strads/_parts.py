"""Who trains, validates and tests: labels, and their numbers in the compiled half."""

from os import PathLike

import numpy as np

from ._errors import InputError

_PARTS = {"train": 1, "val": 2, "test": 3}
_NO_PART = ("", "NA", "<NA>", "nan", "None", "NaT")


def parts_of(split):
    """Labels 'train', 'val', 'test' or none of a sample, as numbers for the compiled half; None: there is no split."""
    if split is None:
        return None
    if isinstance(split, (str, PathLike)):
        raise InputError(f"split: found {str(split)!r}, expected a label for each sample; of a file options={{'split': path}}")
    labels = np.asarray(split, dtype=object)
    if labels.ndim != 1:
        raise InputError(f"split: found an array of {labels.ndim} dimensions, expected a label for each sample")
    parts = np.zeros(len(labels), dtype=np.uint8)
    for row, label in enumerate(map(str, labels)):
        if label not in _PARTS and label not in _NO_PART:
            raise InputError(f"split: row {row} is {label!r}, expected 'train', 'val', 'test', or None where a sample takes "
                             "no part")
        parts[row] = _PARTS.get(label, 0)
    return parts


def labels_of(parts):
    """The labels that the option split knows, of parts_of()."""
    words = ["NA", *_PARTS]
    return [words[part] for part in parts]
