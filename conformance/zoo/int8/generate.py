"""Computes what ONNX Runtime makes of the int8 sentence model that fetch.sh fetches.

    python3 generate.py

writes int8.json beside it: sentences of token ids, and the first numbers of each token's
vector. Needs the packages in ../requirements.txt.
"""

import json
import os

import numpy as np
import onnxruntime

LENGTHS, WIDTH = (9, 4), 24

here = os.path.dirname(os.path.abspath(__file__))
length = max(LENGTHS)
ids = np.zeros((len(LENGTHS), length), np.int64)
mask = np.zeros_like(ids)
for i, n in enumerate(LENGTHS):
    ids[i, :n] = [101, *np.random.default_rng(i).integers(1996, 20000, n - 2), 102]
    mask[i, :n] = 1
session = onnxruntime.InferenceSession(os.path.join(here, "model.onnx"))
y = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
data = {"Ids": ids.flatten().tolist(), "Mask": mask.flatten().tolist(), "Batch": len(LENGTHS), "Width": WIDTH}
data["Y"] = [float(f"{v:.9g}") for v in y[:, :, :WIDTH].flatten()]
with open(os.path.join(here, "int8.json"), "w") as f:
    json.dump(data, f, separators=(",", ":"))
