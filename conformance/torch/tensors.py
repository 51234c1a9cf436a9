"""Reads the .safetensors files of a folder and writes each again, with numbers doubled and
another tensor beside, to back_NAME. Rows of fewer bits (U8) stay as they are. Prints the
names.

    tensors.py FOLDER
"""

import pathlib
import sys

import torch
from safetensors import safe_open
from safetensors.torch import save_file

folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.glob("*.safetensors")):
    with safe_open(path, "pt") as f:
        assert list(f.keys()) == ["weight"], path
        weight, metadata = f.get_tensor("weight"), f.metadata()
    if weight.dtype != torch.uint8:
        weight = weight * 2
    save_file({"weight": weight, "bias": torch.arange(3, dtype=torch.uint8)}, folder / ("back_" + path.name), metadata)
    print(path.name, weight.dtype, tuple(weight.shape))
