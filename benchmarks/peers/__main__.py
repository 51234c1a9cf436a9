"""Runs the cases in PyTorch or OpenVINO when the Go program beside this folder asks for it.

    python peers torch|openvino

Requests come as lines of JSON on standard input, replies go to standard output: see remote.go.
"""

import json
import pathlib
import signal
import sys
import time

from case import Cannot, Case


class Worker:
    def __init__(self, library):
        self.library = library
        self.next = 0

    def answer(self, request):
        do = request["do"]
        if do == "hello":
            return {"version": self.library.version}
        if do == "load":
            self.library.__dict__.update(dict.fromkeys(("calls", "case", "data", "base", "out")))  # before more memory is taken
            self.library.load(Case(request))
            return {}
        if do == "prepare":
            self.next = 0
            self.library.calls = None
            return {"call": self.library.prepare(request["threads"])}
        if do == "result":
            self.library.result().tofile(pathlib.Path(request["dir"]) / "result.bin")
            return {}
        if do == "sample":
            if "threads" in request:
                self.library.threads(request["threads"])
            return {"seconds": self.sample(request["n"])}
        return {"error": f"cannot {do}"}

    def sample(self, n):
        calls = self.library.calls
        order = [calls[(self.next + i) % len(calls)] for i in range(n)]
        self.next = (self.next + n) % len(calls)
        start = time.perf_counter()
        for call in order:
            call()
        return time.perf_counter() - start


def library(name):
    """Only the one that is needed is imported."""
    if name == "torch":
        from with_torch import Torch

        return Torch()
    from with_openvino import OpenVINO

    return OpenVINO()


def main():
    # The Go program hears of Ctrl-C, too, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker(library(sys.argv[1]))
    for line in sys.stdin:
        try:
            reply = worker.answer(json.loads(line))
        except Cannot:
            reply = {"cannot": True}
        except Exception as error:  # of whatever kind: the Go program stops and shows it
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


main()
