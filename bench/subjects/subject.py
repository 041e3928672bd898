"""What one table of bench/RESULTS.md is made of."""
import dataclasses
import typing


class NotHere(Exception):
    """Data or a program that a subject needs is not on this machine: its table stays as it was."""


@dataclasses.dataclass
class Subject:
    name: str                     # that of its markers in RESULTS.md and of --only
    minutes: float                # of a quiet run on two cores
    columns: list[str]
    command: str                  # what a row runs, as a reader would type it: shown below the table
    measure: typing.Callable      # (bench) -> rows, lists of as many texts as there are columns
    runs: int = 5                 # of which medians are shown
    data: tuple[str, ...] = ()    # sets without which nothing can be measured
