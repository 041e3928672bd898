#!/usr/bin/env python3
"""Makes ratings with heavy users and popular items, as scipy.sparse files:  make_ratings.py PRESET PREFIX

PRESET      users x items     ratings    heaviest item   top 1 % of items   seconds (2 cores)
  small      2,000 x    500      60,000       1.5 %              7 %           0.2
  netflix  480,189 x 17,770  20,000,000       0.3 %             23 %          10     the shape of the Netflix Prize
  yahoo    500,000 x 50,000  15,000,000       2.1 %             60 %          10     of Yahoo! Music, a quarter of its
                                                                                      users, half of its items

--users N, --items M, --ratings R, --seed SEED change a preset; --held-out 0.05 is the share of the ratings that goes
into a file of its own; --popular-first numbers users and items by what they have: the worst order for who deals out
rows without looking at them. Without it numbers say nothing about popularity.

Writes PREFIX.train.npz and PREFIX.test.npz: COO matrices as scipy.sparse.save_npz writes them (int32, float32, not
compressed). Users and items appear in the order of their numbers, so that a program that numbers them as they come has
the same numbers: first one rating of each user, dealt to the items in turn, then the others by user. The held-out ones
are among the others, so that each user and each item is learned about.

A user's share of the ratings is log-normal, that of the item of rank k is proportional to (k + shift)^-exponent; a pair
is rated once. A rating is 3.6 + user + item + taste + noise, rounded, 1 to 5; taste is a product of 16 factors with
spectrum 0.8^f. Standard deviations: 0.4, 0.5, 0.7, 0.7.

The same arguments give the same files: each piece of ratings draws from a stream of its own, whatever thread runs it.
Memory: about 50 bytes a rating. Needs python3-numpy alone.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import sys

import numpy as np


@dataclasses.dataclass
class Shape:
    users: int
    items: int
    ratings: int
    spread: float    # of the logarithm of a user's share
    exponent: float  # of the items' power law
    shift: float


PRESETS = {"small": Shape(2000, 500, 60000, 1.0, 1.0, 10), "netflix": Shape(480189, 17770, 20000000, 1.2, 1.0, 50),
           "yahoo": Shape(500000, 50000, 15000000, 1.3, 1.15, 3)}
FACTORS, DECAY = 16, 0.8
MEAN, OF_USER, OF_ITEM, OF_TASTE, OF_NOISE = 3.6, 0.4, 0.5, 0.7, 0.7
PIECE = 1 << 19


def stream(seed, *purpose):
    return np.random.Generator(np.random.SFC64([seed, *purpose]))


def shares(shape, options):
    """Of each user and of each item; they need not sum to 1."""
    rng = stream(options.seed, 1)
    users = np.exp(shape.spread * rng.standard_normal(shape.users))
    items = (np.arange(shape.items) + shape.shift) ** -shape.exponent
    if options.popular_first:
        return np.sort(users)[::-1], items
    return users, rng.permutation(items)


def dealt(rng, share, count):
    """`count` numbers with these shares, ascending."""
    return np.repeat(np.arange(len(share), dtype=np.int32), rng.multinomial(count, share / share.sum()))


def pairs(shape, options):
    """Different keys user * items + item: one for each user in turn, then the others, ascending."""
    rng = stream(options.seed, 2)
    users, items = shares(shape, options)
    first = np.arange(shape.users) * shape.items + np.arange(shape.users) % shape.items
    wanted = shape.ratings - shape.users
    others = np.empty(0, np.int64)
    while len(others) < wanted:
        missing = int(1.2 * (wanted - len(others))) + 1000
        drawn_items = dealt(rng, items, missing)
        rng.shuffle(drawn_items)
        drawn = dealt(rng, users, missing).astype(np.int64) * shape.items + drawn_items
        others = np.union1d(others, drawn)
        user, item = np.divmod(others, shape.items)
        others = others[user % shape.items != item]  # those of `first`
    too_many = rng.choice(len(others), len(others) - wanted, replace=False)
    return first, np.delete(others, too_many)


class Taste:
    """What everybody thinks of everything."""

    def __init__(self, shape, seed):
        rng = stream(seed, 3)
        spectrum = DECAY ** np.arange(FACTORS)
        spectrum *= OF_TASTE / np.linalg.norm(spectrum)
        self.users = rng.standard_normal((shape.users, FACTORS), np.float32) * spectrum.astype(np.float32)
        self.items = rng.standard_normal((shape.items, FACTORS), np.float32)
        self.of_user = OF_USER * rng.standard_normal(shape.users, np.float32)
        self.of_item = OF_ITEM * rng.standard_normal(shape.items, np.float32)
        self.seed = seed

    def piece(self, user, item, number):
        rng = stream(self.seed, 4, number)
        value = np.einsum("kf,kf->k", self.users[user], self.items[item])
        value += self.of_user[user] + self.of_item[item] + np.float32(MEAN)
        value += np.float32(OF_NOISE) * rng.standard_normal(len(user), np.float32)
        return np.clip(np.rint(value), 1, 5).astype(np.float32)

    def values(self, user, item):
        begins = range(0, len(user), PIECE)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            pieces = pool.map(lambda k: self.piece(user[k:k + PIECE], item[k:k + PIECE], k // PIECE), begins)
            return np.concatenate(list(pieces))


def write(path, shape, user, item, value):
    np.savez(path, row=user, col=item, format=b"coo", shape=np.array([shape.users, shape.items], np.int64), data=value)


def tell(shape, item):
    counts = np.sort(np.bincount(item, minlength=shape.items))[::-1]
    print(f"{shape.users} users x {shape.items} items, {len(item)} ratings; heaviest item {counts[0] / len(item):.2%}, "
          f"top 1 % of the items {counts[:max(1, shape.items // 100)].sum() / len(item):.1%}, "
          f"median item {int(np.median(counts))}")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("prefix")
    for name in ("users", "items", "ratings"):
        parser.add_argument("--" + name, type=int)
    parser.add_argument("--seed", type=int, default=2014)
    parser.add_argument("--held-out", type=float, default=0.05)
    parser.add_argument("--popular-first", action="store_true")
    options = parser.parse_args()
    given = {name: value for name in ("users", "items", "ratings") if (value := getattr(options, name)) is not None}
    shape = dataclasses.replace(PRESETS[options.preset], **given)
    if shape.users < shape.items:
        sys.exit(f"make_ratings.py: {shape.users} users for {shape.items} items, expected at least as many")
    if not 2 * shape.users <= shape.ratings <= shape.users * shape.items // 4:
        sys.exit(f"make_ratings.py: {shape.ratings} ratings, expected 2 a user to a quarter of all pairs")
    return options, shape


def main():
    options, shape = parsed()
    first, others = pairs(shape, options)
    keys = np.concatenate([first, others])
    user, item = (part.astype(np.int32) for part in np.divmod(keys, shape.items))
    value = Taste(shape, options.seed).values(user, item)
    held = np.zeros(len(keys), bool)
    held[len(first):] = stream(options.seed, 5).random(len(others)) < options.held_out
    for part, chosen in (("train", ~held), ("test", held)):
        write(f"{options.prefix}.{part}.npz", shape, user[chosen], item[chosen], value[chosen])
    tell(shape, item)


if __name__ == "__main__":
    main()
