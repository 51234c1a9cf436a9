"""The side of NumPy: `read DIR` checks what Go wrote there, `write DIR` writes files for Go, of tables;
`read-arrays DIR` and `write-arrays DIR` the same of arrays of every dtype.

Each line of what it prints is the name of a file that was read or written.
"""
import pathlib
import sys

import numpy as np
from numpy.lib import format


def formula(shape, dtype):
    rows = np.arange(shape[0], dtype=dtype).reshape((-1,) + (1,) * (len(shape) - 1))
    columns = np.arange(int(np.prod(shape[1:])), dtype=dtype).reshape((1,) + tuple(shape[1:]))
    return (1.5 * rows + columns / 8 - 3).astype(dtype).reshape(shape)


def read(folder):
    for path in sorted(folder.rglob("*.npy")):
        shape, dtype = path.stem.split("_")[:2]
        shape = tuple(int(n) for n in shape.split("x"))
        want = formula(shape, dtype)
        for mode in None, "r", "r+", "c":
            got = np.load(path, mmap_mode=mode)
            assert got.dtype == np.dtype(dtype) and got.shape == shape, (path, got.dtype, got.shape)
            assert got.flags.c_contiguous and got.flags.aligned, path
            assert got.tobytes() == want.tobytes(), (path, mode)
        print(path.relative_to(folder))


def write(folder):
    def save(name, array, version=None):
        with open(folder / name, "wb") as f:
            format.write_array(f, array, version)
        print(name)

    for dtype in "float32", "float64":
        for shape in (5,), (5, 3), (4, 3, 2), (0, 3), (3, 0), (1, 1), (300, 64):
            array = formula(shape, dtype)
            for version in (1, 0), (2, 0), None:
                text = "none" if version is None else str(version[0])
                save(f"fits_{'x'.join(map(str, shape))}_{dtype}_{text}.npy", array, version)
        sparse = format.open_memmap(folder / f"fits_100x8_{dtype}_sparse.npy", "w+", dtype, (100, 8))
        sparse[:] = formula((100, 8), dtype)
        sparse.flush()
        print(f"fits_100x8_{dtype}_sparse.npy")

    plain = formula((4, 3), "float32")
    save("big-endian float32.npy", plain.astype(">f4"))
    save("big-endian float64.npy", plain.astype(">f8"))
    save("Fortran's order.npy", np.asfortranarray(plain))
    save("version 3.0.npy", plain, (3, 0))
    save("allowed are float16, float32 and float64.npy", plain.astype("int64"))
    save("holds a scalar.npy", np.float32(3).reshape(()))
    for dtype in "int8", "uint32", "bool", "complex64":
        save(f"elements are {dtype}, allowed are.npy", np.zeros((4, 3), dtype))
    for dtype in "S3", "U3":
        save(f"the elements are strings ({np.dtype(dtype).str}).npy", np.zeros((4, 3), dtype))
    save("the elements are of type.npy", np.zeros((4, 3), "datetime64[s]"))
    save("several fields.npy", np.zeros(4, [("a", "<f4"), ("b", "<f4")]))
    np.savez(folder / "zip file.npz", plain)
    (folder / "zip file.npz").rename(folder / "zip file.npy")
    print("zip file.npy")
    save("truncated.npy", plain)
    with open(folder / "truncated.npy", "r+b") as f:
        f.truncate(150)
    with open(folder / "goes on for 176 bytes.npy", "wb") as f:
        format.write_array(f, plain)
        format.write_array(f, plain)
    print("goes on for 176 bytes.npy")


DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
SHAPES = (), (1,), (7,), (2, 3), (0, 3), (3, 0, 2), (4, 5, 6)


def counted(shape, dtype):
    return (np.arange(int(np.prod(shape))) % 5).astype(dtype).reshape(shape)


def read_arrays(folder):
    for path in sorted(folder.glob("*.npy")):
        dtype, shape = path.stem.split("_")
        shape = tuple(int(n) for n in shape.split("x") if n)
        got, want = np.load(path), counted(shape, dtype)
        assert got.dtype == want.dtype and got.shape == shape, (path, got.dtype, got.shape)
        assert got.tobytes() == want.tobytes(), path
        print(path.name)


def write_arrays(folder):
    for dtype in DTYPES:
        with open(folder / f"{dtype}.npy", "wb") as f:
            for shape in SHAPES:
                array = counted(shape, dtype)
                np.save(f, array)
                np.save(f, np.asfortranarray(array).reshape(shape, order="F"))
                np.save(f, array.astype(array.dtype.newbyteorder(">")))
                np.save(f, np.asfortranarray(array.astype(array.dtype.newbyteorder(">"))).reshape(shape, order="F"))
        print(f"{dtype}.npy")


modes = {"read": read, "write": write, "read-arrays": read_arrays, "write-arrays": write_arrays}
modes[sys.argv[1]](pathlib.Path(sys.argv[2]))
