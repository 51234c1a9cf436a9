"""Random values that every correct implementation must treat alike.

The CPU device computes 64-bit integers in 32 bits, doubles in float32 and
small integers sometimes in larger ones. So values are small, and floats are
multiples of a quarter: sums and differences are then exact in every type.
"""

import numpy as np

from ir import ELEMENTS, Tensor, tensor

INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
SIGNED = ["i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
NUMBERS = INTEGERS + FLOATS
ANY = NUMBERS + ["boolean"]


def dims(rng, rank):
    """Dims that all differ, so that a mix-up of two axes shows."""
    return [int(n) for n in rng.permutation([2, 3, 4, 5, 6])[:rank]]


def data(rng, element, shape):
    """Values from -8 to 8 in steps of a quarter, as far as the type has them."""
    if element == "boolean":
        return tensor(element, rng.integers(0, 2, shape))
    if element in FLOATS:
        return tensor(element, rng.integers(-32, 33, shape) / 4)
    return tensor(element, rng.integers(0 if element[0] == "u" else -8, 9, shape))


def terms(rng, element, shape):
    """Values whose mean is rounded down by cutting off its fraction, which is
    what the device does with any mean of integers."""
    if element in INTEGERS:
        return tensor(element, rng.integers(0, 9, shape))
    return data(rng, element, shape)


def factors(rng, element, shape):
    """Values of which many can be multiplied exactly, also in 16 bits."""
    if element == "boolean":
        return data(rng, element, shape)
    values = rng.choice([1, 2, 0, 1], shape, p=[0.5, 0.3, 0.1, 0.1])
    if element[0] != "u":
        values = values * rng.choice([-1, 1], shape)
    return tensor(element, values)


def indices(rng, element, shape, size, negative=False):
    """Indices of an axis of the given size. With negative, about half of them
    count from the end."""
    values = rng.integers(0, size, shape)
    if negative and element[0] != "u":
        values = values - size * rng.integers(0, 2, shape)
    return tensor(element, values)


def tuples(rng, element, shape, sizes, negative=False):
    """Index tuples: indices[..., j] for an axis of size sizes[j]."""
    columns = [indices(rng, element, shape, n, negative).values for n in sizes]
    return Tensor(element, np.stack(columns, axis=-1).astype(ELEMENTS[element]))


def axis(rng, value, rank, element=None):
    """The axis as the input tensor it is: a scalar or one element, of any
    integer type, counted from the front or from the end."""
    value = int(value)
    if element is None:
        element = str(rng.choice(INTEGERS))
    if element[0] != "u" and rng.integers(2):
        value -= rank
    return tensor(element, [value] if rng.integers(2) else value)
