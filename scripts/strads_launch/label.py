"""Who says something: [node1 scheduler0 worker0-3], in front of each line of a log and of --live."""
import os
import re

from strads_launch.ends import tell

SAYS_ROLES = re.compile(r"stradsd: .*?: (?:rank \d+ of \d+|from now on): (no role|(?:schedulers|workers)\b[a-z0-9, ]*)$")
PIECES_MAX = 4  # of a role's numbers: others are left out


def roles_said(line):
    """["scheduler0", "worker0-3"] of the line in which a node says its roles; None: of any other."""
    found = SAYS_ROLES.search(line)
    if not found:
        return None
    parts = [part.split() for part in found[1].split(", ")]
    return [kind[:-1] + ranges([int(number) for number in numbers]) for kind, *numbers in parts if kind != "no"]


def ranges(numbers):
    """0-3,7 of 0 1 2 3 7."""
    pieces = []
    for number in numbers:
        if pieces and number == pieces[-1][1] + 1:
            pieces[-1][1] = number
        else:
            pieces.append([number, number])
    shown = [str(low) if low == high else f"{low}-{high}" for low, high in pieces[:PIECES_MAX]]
    return ",".join(shown + [".."] * (len(pieces) > PIECES_MAX))


def show(text):
    """Now, on stderr. On a terminal the driver's line of progress may stand there: it comes again."""
    tell(("\r\033[K" if os.isatty(2) else "") + text)
