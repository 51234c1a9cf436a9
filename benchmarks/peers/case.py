"""What the Go program sends: a case and its tensors."""

import pathlib

import numpy as np


class Cannot(Exception):
    """The library has no such operator."""


KINDS = {
    "float32": np.float32,
    "float64": np.float64,
    "int8": np.int8,
    "uint8": np.uint8,
    "int32": np.int32,
    "int64": np.int64,
    "float16": np.float16,
    "bfloat16": np.int16,  # its bits: NumPy has no such dtype
}


class Case:
    """A case and its tensors, read from the files in a folder."""

    # What JSON leaves out.
    dtype, layout, reduction, without_old, policy = "float32", "", "", False, ""
    strides, offset = None, 0  # of data in its memory, instead of a layout
    random = False  # nobody has tried the case: a way that PyTorch refuses is left out

    def __init__(self, request):
        self.__dict__.update(request["case"])
        self.owns_data = self.mode in ("in place", "gradient")
        self.base, self.out_shape, self.updates_shape = request["base"], request["out"], request["updates"]
        self.scatter = request["scatter"]
        folder = pathlib.Path(request["dir"])

        def read(name, kind, shape):
            file = folder / f"{name}.bin"
            return np.fromfile(file, kind).reshape(shape) if file.exists() else None

        def rotation(name, kind, shape):
            return [read(f"{name}-{chr(ord('a') + s)}", kind, shape) for s in range(self.sets)]

        kind = KINDS[self.dtype]
        self.values = read("data", kind, self.base)  # in memory's order: see view
        self.update_values = read("updates", kind, self.updates_shape)
        self.weight_values = read("weights", kind, self.data)
        self.offset_values = read("offsets", np.int64, -1)  # of bags
        index_kind = kind if self.op == "GatherTree" else np.int64
        self.index_values = rotation("indices", index_kind, self.indices)
        gradient = self.mode == "gradient"
        self.scatter_values = rotation("scatter", np.int64, self.scatter["indices"]) if gradient else self.index_values

    def view(self, base):
        """The data in a tensor of PyTorch that has the memory: layout.go has the same in Go."""
        if self.strides:
            return base.as_strided(self.data, self.strides, self.offset)
        if self.layout in ("transposed", "column-major"):
            return base.permute(*reversed(range(base.dim())))
        if self.layout == "with gaps":
            columns = self.data[-1]
            return base[..., columns // 2 : columns // 2 + columns]
        return base

    @property
    def scatters(self):
        return self.op.startswith("Scatter")

    @property
    def is_rows(self):
        """Each index picks a row of data along its axis."""
        return self.op in ("Gather", "ScatterUpdate") or self.op == "ScatterND" and self.indices[-1] == 1
