"""Runs cases on OpenVINO's CPU device, in a process of their own.

Some of the device's kernels read and write outside their tensors when indices
are wrong. The generator makes no such case on purpose; should one slip in, it
ends the worker and not the generator, and the case is named.
"""

import os
import pickle
import select
import struct
import subprocess
import sys

import numpy as np

from ir import ELEMENTS, Tensor, model

SECONDS = 30  # for one case; most take some milliseconds


class Device:
    """A worker process, started when it is needed and again after it died."""

    def __init__(self):
        self.process = None

    def run(self, case):
        """A Tensor, or the text of OpenVINO's error as a str."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
        send(self.process.stdin, case)
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        answer = receive(self.process.stdout) if ready else None
        if answer is None:
            self.close()
            raise RuntimeError(f"OpenVINO crashed or hung at {case}")
        return answer

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def send(pipe, message):
    data = pickle.dumps(message)
    pipe.write(struct.pack("<I", len(data)) + data)
    pipe.flush()


def receive(pipe):
    head = pipe.read(4)
    return pickle.loads(pipe.read(struct.unpack("<I", head)[0])) if len(head) == 4 else None


def infer(core, case):
    import openvino as ov

    xml, weights = model(case)
    compiled = core.compile_model(
        core.read_model(xml.encode(), weights or b"\0"), "CPU",
        # Without the hint some processors compute float32 models in bfloat16.
        {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1},
    )
    request = compiled.create_infer_request()
    given = [t for i, t in enumerate(case.inputs) if not case.is_constant(i)]
    for i, t in enumerate(given):
        request.set_input_tensor(i, to_openvino(t))
    request.infer()
    out = request.get_output_tensor(0)
    element = out.element_type.get_type_name()
    if element == "string":
        return Tensor(element, np.array(out.str_data, object).reshape(out.get_shape()))
    values = np.array(out.data)
    return Tensor(element, values.view(ELEMENTS[element]).reshape(out.get_shape()))


def to_openvino(t):
    import openvino as ov

    if t.element == "string":
        return ov.Tensor(t.values.astype(str))
    made = ov.Tensor(getattr(ov.Type, t.element), ov.Shape(list(t.shape)))
    if t.values.size:
        made.data[...] = t.values.view(made.data.dtype)
    return made


def reason(error):
    """The last line of an error of OpenVINO, which says what is wrong; the ones
    before it name source lines and node numbers that change from run to run."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200]


def main():
    import openvino as ov

    core = ov.Core()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what OpenVINO itself prints must not mix with the answers
    while (case := receive(sys.stdin.buffer)) is not None:
        try:
            answer = infer(core, case)
        except RuntimeError as error:
            answer = reason(error)
        send(answers, answer)


if __name__ == "__main__":
    main()
