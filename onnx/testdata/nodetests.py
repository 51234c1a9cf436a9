"""Writes ONNX's node tests of the gather and scatter operators, and of those that
package onnx/builders has, as files.

    python3 nodetests.py FOLDER

FOLDER/KIND/NAME/model.onnx is a test's model, and its test_data_set_0 holds
input_0.pb, input_1.pb, ... and output_0.pb, ..., as ONNX publishes them. The
package onnx brings the tests of kind node as Python code that makes them, and
those that came from PyTorch as files.
"""

import os
import re
import shutil
import sys

import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases

BUILDERS = (
    "abs add and argmax argmin basic_conv averagepool batchnorm cast castlike cast_like ceil celu clip concat constantofshape "
    "conv cos cumsum div dropout elu equal erf exp expand flatten floor gelu gemm globalaveragepool globalmaxpool greater "
    "greater_equal group_normalization gru hardsigmoid hardswish instancenorm isinf isnan layer_normalization leakyrelu less "
    "less_equal log logsoftmax lstm matmul max maxpool mean min mish mod mul neg not onehot or edge_pad constant_pad reflect_pad "
    "wrap_pad pow prelu range reciprocal reduce_l1 reduce_l2 reduce_max reduce_mean reduce_min reduce_prod reduce_log_sum_exp reduce_sum relu reshape rms_normalization "
    "rnn round selu shape sigmoid sign simple_rnn sin size slice softmax softplus softsign split sqrt squeeze "
    "sub sum swish attention rotary_embedding compress convtranspose depthtospace dequantizelinear dynamicquantizelinear einsum matmulinteger nllloss quantizelinear sce spacetodepth top_k tan tanh thresholdedrelu tile transpose tril triu unsqueeze where xor"
).split()
OTHERS = "split_to_sequence|softmax_cross_entropy|not_in|max_unpool|cos_sim|convinteger"
FAMILY = re.compile(
    r"test_(gather|scatter|tensor_?scatter|Embedding|operator_index"
    rf"|(?!{OTHERS})({'|'.join(BUILDERS)})(_|\d|$))"
)


def write(folder, stem, values, infos):
    for i, (value, info) in enumerate(zip(values, infos)):
        if not isinstance(value, TensorProto):
            value = numpy_helper.from_array(value, info.name)
        with open(os.path.join(folder, f"{stem}_{i}.pb"), "wb") as f:
            f.write(value.SerializeToString())


def main(out):
    count = 0
    for case in collect_testcases():
        if not FAMILY.match(case.name):
            continue
        count += 1
        folder = os.path.join(out, case.kind, case.name)
        os.makedirs(folder)
        onnx.save(case.model, os.path.join(folder, "model.onnx"))
        for i, (inputs, outputs) in enumerate(case.data_sets):
            data = os.path.join(folder, f"test_data_set_{i}")
            os.makedirs(data)
            # An optional input that is left out has no file and no name in
            # the graph's inputs.
            write(data, "input", [v for v in inputs if v is not None], case.model.graph.input)
            write(data, "output", outputs, case.model.graph.output)
    shipped = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    for kind in sorted(os.listdir(shipped)):
        for name in sorted(os.listdir(os.path.join(shipped, kind))):
            if FAMILY.match(name):
                count += 1
                shutil.copytree(os.path.join(shipped, kind, name), os.path.join(out, kind, name))
    print(f"{count} tests of onnx {onnx.__version__}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: nodetests.py FOLDER")
    main(sys.argv[1])
