"""Lookups and bags of PyTorch's tables by storage, measured when asked for on standard input."""

import json
import sys
import time

import numpy as np
import torch

QUANTIZED = torch.ops.quantized
CHUNK = 1 << 20  # rows that are made at a time


def rows(first, end, dim):
    """What fill in ours.go makes."""
    hashed = np.arange(first * dim, end * dim, dtype=np.uint32) * np.uint32(2654435761)
    return torch.from_numpy((hashed >> 8).astype(np.float32) * np.float32(2**-24)).reshape(-1, dim)


def store(storage, x):
    return {
        "Float32": lambda: x,
        "Float16": x.half,
        "BFloat16": x.bfloat16,
        "Int8": lambda: QUANTIZED.embedding_bag_byte_prepack(x),
        "Int4": lambda: QUANTIZED.embedding_bag_4bit_prepack(x),
    }[storage]()


def bags(storage, table, ids, offsets):
    if storage == "Int8":
        return QUANTIZED.embedding_bag_byte_rowwise_offsets(table, ids, offsets)
    if storage == "Int4":
        return QUANTIZED.embedding_bag_4bit_rowwise_offsets(table, ids, offsets)
    return torch.embedding_bag(table, ids, offsets, False, 0, False)[0]


class Tables:
    def __init__(self, q):
        count, dim = q["rows"], q["dim"]
        self.ids = [torch.from_numpy(x.copy()) for x in np.fromfile(q["file"], np.int64).reshape(q["sets"], -1)]
        n = len(self.ids[0])
        self.offsets = torch.arange(0, n, n // q["bags"])
        self.tables, self.outs = {}, {}
        for storage in q["storages"]:
            head = store(storage, rows(0, 1, dim))
            table = torch.empty(count, head.shape[1], dtype=head.dtype)
            for first in range(0, count, CHUNK):
                end = min(first + CHUNK, count)
                table[first:end] = store(storage, rows(first, end, dim))
            self.tables[storage] = table
            self.outs[storage] = torch.empty(n, head.shape[1], dtype=head.dtype)

    def call(self, q, ids):
        table = self.tables[q["storage"]]
        if q["bags"]:
            return bags(q["storage"], table, ids, self.offsets)
        return torch.index_select(table, 0, ids, out=self.outs[q["storage"]])

    def sample(self, q):
        torch.set_num_threads(q["threads"])
        start = time.perf_counter()
        for _ in range(q["times"]):
            for ids in self.ids:
                out = self.call(q, ids)
        return (time.perf_counter() - start) / q["times"] / len(self.ids), out


def main():
    tables = None
    for line in sys.stdin:
        q, a = json.loads(line), {}
        try:
            if "file" in q:
                tables = Tables(q)
            elif "times" in q:
                # PyTorch has no lookup of such rows without bags.
                if q["storage"] in ("Int8", "Int4") and not q["bags"]:
                    a["cannot"] = True
                else:
                    a["seconds"], out = tables.sample(q)
                    if q["times"] == 1:
                        a["sum"] = out.double().sum().item()
            a["version"] = torch.__version__
        except Exception as e:
            a["error"] = repr(e)
        print(json.dumps(a), flush=True)


main()
