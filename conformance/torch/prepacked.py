"""Writes prepacked.jsonl.gz: rows of float32 and the bytes that PyTorch's prepack operators make of them.

    /tmp/torch/bin/python conformance/torch/prepacked.py
"""
import gzip
import json
import os

import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))


def rows(generator, count, columns):
    """Rows of any magnitude that float16 holds, with equal numbers, zeros and constant rows."""
    size = torch.exp(torch.rand(count, 1, generator=generator) * 20 - 14)
    weights = (torch.randn(count, columns, generator=generator) * size).clamp(-65504, 65504)
    weights[torch.rand(count, columns, generator=generator) < 0.05] = 0.0
    weights[::17] = weights[::17, :1]
    return weights.contiguous()


def main():
    generator = torch.Generator().manual_seed(1)
    with gzip.GzipFile(os.path.join(FOLDER, "prepacked.jsonl.gz"), "wb", mtime=0) as out:
        for columns in (2, 6, 16, 64, 130):
            weights = rows(generator, 60, columns)
            case = {
                "columns": columns,
                "float32": weights.numpy().tobytes().hex(),
                "int8": torch.ops.quantized.embedding_bag_byte_prepack(weights).numpy().tobytes().hex(),
                "int4": torch.ops.quantized.embedding_bag_4bit_prepack(weights).numpy().tobytes().hex(),
            }
            out.write((json.dumps(case) + "\n").encode())


main()
