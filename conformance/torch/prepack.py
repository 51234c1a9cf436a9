"""Compares rows of 8 and 4 bits, and bags of them, with PyTorch's.

    prepack.py FOLDER

FOLDER is a checkpoint of package embedding. Of each table x_float it has rows in float32,
x_int8 and x_int4 the same rows as stored, x_ids and x_weights bags of 10 positions each
(rows of the table of ids, as float64), and x_sum8 and x_sum4 the sums that Go made of
them. Bytes have to be equal, but that PyTorch takes the first of 0 and -0 as the minimum
of a row. It uses fused multiply-adds, so sums differ by rounding: they are compared
relative to the sum of |q*scale| + |offset|. Prints how many rows have been compared.
"""

import sys

import numpy as np
import torch

folder = sys.argv[1] + "/generation-000001/"
ops = torch.ops.quantized
rows = 0
for name in ["a", "b", "c", "d", "e"]:
    x = np.load(folder + name + "_float.npy")
    ids = np.load(folder + name + "_ids.npy").astype(np.int64)
    weights = np.load(folder + name + "_weights.npy")
    positive = np.where(x == 0, np.float32(0), x)  # no -0
    for bits, prepack, bag in [
        (8, ops.embedding_bag_byte_prepack, ops.embedding_bag_byte_rowwise_offsets),
        (4, ops.embedding_bag_4bit_prepack, ops.embedding_bag_4bit_rowwise_offsets),
    ]:
        ours = np.load(f"{folder}{name}_int{bits}.npy")
        theirs = prepack(torch.from_numpy(positive)).numpy()
        different = np.flatnonzero((ours != theirs).any(1))
        if len(different):
            r = different[0]
            sys.exit(f"{name}, {bits} bits, row {r} of {x[r].tolist()}: {ours[r].tobytes().hex()}, PyTorch has {theirs[r].tobytes().hex()}")
        rows += len(ours)
        n = ids.shape[0]
        sums = bag(
            torch.from_numpy(ours), torch.from_numpy(ids.reshape(-1)), torch.arange(0, n * ids.shape[1], ids.shape[1]),
            per_sample_weights=torch.from_numpy(weights.reshape(-1)),
        ).numpy().astype(np.float64)
        if bits == 8:
            q = ours[:, :-8].astype(np.float64)
            scale, offset = (ours[:, -8:].copy().view(np.float32)[:, i : i + 1].astype(np.float64) for i in (0, 1))
        else:
            packed = ours[:, :-4]
            q = np.stack([packed & 15, packed >> 4], 2).reshape(len(ours), -1).astype(np.float64)
            scale, offset = (ours[:, -4:].copy().view(np.float16)[:, i : i + 1].astype(np.float64) for i in (0, 1))
        size = np.abs(q * scale) + np.abs(offset)
        limit = (size[ids] * np.abs(weights[..., None])).sum(1) * 1e-6 + 1e-38
        off = np.abs(np.load(f"{folder}{name}_sum{bits}.npy") - sums) > limit
        if off.any():
            sys.exit(f"{name}, {bits} bits: sums at {np.argwhere(off)[0]} differ")
print(rows)
