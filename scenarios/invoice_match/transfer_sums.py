"""Sums of invoices in cents: which of them make a transfer exactly, and which sums no other subset comes near."""

from collections.abc import Container, Sequence
from itertools import combinations

#: Positions of the members of a subset, in ascending order.
Subset = tuple[int, ...]


def after_discount(cents: int, percent: int) -> int:
    """Return an amount less a cash discount of so many percent; the discount is rounded to the cent."""
    return cents - (cents * percent + 50) // 100


def has_half_cent(cents: int, percent: int) -> bool:
    """Return whether a discount ends in half a cent, which could be rounded either way."""
    return cents * percent % 100 == 50


def subsets_making(amounts: Sequence[int], target: int) -> list[Subset]:
    """Return every subset of the amounts that adds up to the target, the smallest subsets first."""
    every = range(len(amounts))
    return [
        chosen
        for size in range(1, len(amounts) + 1)
        for chosen in combinations(every, size)
        if sum(amounts[one] for one in chosen) == target
    ]


def isolated_subsets(amounts: Sequence[int], sizes: Container[int], margin: int) -> list[Subset]:
    """Return the subsets of these sizes whose sum differs from that of any other subset by the margin or more.

    Compares the sums of all subsets, so its time doubles with every further amount.
    """
    sums = [0]
    for amount in amounts:
        sums += [total + amount for total in sums]
    masks = sorted(range(len(sums)), key=sums.__getitem__)
    ordered = [-margin, *(sums[mask] for mask in masks), sums[masks[-1]] + margin]
    return [
        tuple(one for one in range(len(amounts)) if mask >> one & 1)
        for at, mask in enumerate(masks, start=1)
        if ordered[at] - ordered[at - 1] >= margin <= ordered[at + 1] - ordered[at]
        and mask.bit_count() in sizes
    ]


def first_fit(amounts: Sequence[int], target: int) -> Subset:
    """Return the amounts that fit into the target one after the other, each of them taken if it still fits."""
    taken, left = [], target
    for one, amount in enumerate(amounts):
        if amount <= left:
            taken.append(one)
            left -= amount
    return tuple(taken)
