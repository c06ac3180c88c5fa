"""Files of weights that are damaged or made to harm are refused, with little memory."""

import io
import random
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bodytext.cli import main
from bodytext.methods.density import Density
from bodytext.methods.perceptron import read_perceptrons
from bodytext.methods.weights import read_arrays
from bodytext.methods.weights.arrays import LARGEST, unpack_arrays
from bodytext.page.parser import parse

FOLDER = Path(__file__).parents[1] / "src/bodytext/methods/weights"
PAGE = parse(b"<p>One line of text, long enough to be kept.<p>Another")


def pack(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def array_file(array: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def header_file(shape: str, descr: str = "<f4") -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)


def test_arrays_are_those_that_numpy_reads(tmp_path: Path) -> None:
    columns = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.savez(tmp_path / "own.npz", columns=columns, one=np.float32(3), big=columns.astype(">f4"))
    for path in (FOLDER / "learned.npz", FOLDER / "density.npz", tmp_path / "own.npz"):
        with np.load(path) as known:
            arrays = unpack_arrays(path)
            assert list(arrays) == known.files
            assert all(np.array_equal(arrays[name], known[name]) for name in arrays)
            assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}


def test_arrays_that_are_not_packed_need_no_zipfile() -> None:
    """It would take most of the time of the first call."""
    code = (
        "import sys\nfrom bodytext import extract\nextract('<p>' + 'One line of text. ' * 100)\n"
        "print(*{'zipfile', 'tempfile', 'pathlib'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_packed_and_plain_files_have_the_same_arrays(tmp_path: Path) -> None:
    arrays = unpack_arrays(FOLDER / "learned.npz")
    np.savez_compressed(tmp_path / "packed.npz", **arrays)  # type: ignore[arg-type]
    packed = unpack_arrays(tmp_path / "packed.npz")
    assert list(packed) == list(arrays)
    assert all(np.array_equal(packed[name], arrays[name]) for name in arrays)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(
    "member",
    [
        pytest.param(array_file([{}]), id="objects"),
        pytest.param(array_file(["a"]), id="texts"),
        pytest.param(array_file([1.0]), id="64 bits"),
        pytest.param(array_file(np.array([np.nan], np.float32)), id="not a number"),
        pytest.param(array_file(np.array([np.inf], np.float32)), id="infinite"),
        pytest.param(array_file(np.array([1e30], np.float32)), id="huge numbers"),
        pytest.param(header_file("(99999999999, 4)"), id="huge shape"),
        pytest.param(header_file("(0, 99999999999)"), id="empty and huge"),
        pytest.param(header_file("(5,)"), id="too short"),
        pytest.param(header_file("(-4,)"), id="negative shape"),
        pytest.param(header_file("(4,,)"), id="shape without a size"),
        pytest.param(header_file("(2, 2)", "O"), id="object header"),
        pytest.param(header_file("(" * 30_000), id="nested header"),
        pytest.param(array_file(np.array([1], np.float32))[:20], id="cut"),
        pytest.param(b"", id="empty"),
    ],
)
def test_members_that_are_no_plain_numbers_are_refused(
    tmp_path: Path, member: bytes, packing: int
) -> None:
    (tmp_path / "own.npz").write_bytes(pack({"mlp.0.weights.npy": member}, packing))
    with pytest.raises(ValueError, match="is not a file of weights"):
        read_arrays(str(tmp_path / "own.npz"))


def _understate(data: bytes, size: int) -> bytes:
    """Let a zip file say that its only member unpacks to a few bytes."""
    return data.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bytes(LARGEST + 1), "which is the limit"),
        (lambda: pack({"a.npy": bytes(100 * 2**20)}), "unpacked it has more than"),
        (lambda: _understate(pack({"a.npy": bytes(100 * 2**20)}), 100 * 2**20), "damaged"),
        (lambda: pack({f"{number}.npy": b"" for number in range(2_000)}), "2,000 arrays"),
        (lambda: pack({"a.npy": b"x"}, zipfile.ZIP_LZMA), "no array"),
        (lambda: pack({"a.txt": b"x"}), "no array"),
        (lambda: pack({}), "0 arrays"),
        (lambda: array_file(np.array([1], np.float32)), "no zip file"),
    ],
)
def test_bombs_and_other_files_are_refused(
    tmp_path: Path, make: Callable[[], bytes], words: str
) -> None:
    (tmp_path / "own.npz").write_bytes(make())
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=words):
            read_arrays(str(tmp_path / "own.npz"))
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Change, insert or cut bytes, half of them in the directory at the end."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        back = int(chance.expovariate(1 / 1_000)) if chance.random() < 0.5 else 0
        place = max(len(changed) - 1 - back, 0) if back else chance.randrange(len(changed))
        kind = chance.randrange(4)
        if kind == 0:
            changed[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[place] = chance.choice((0, 127, 128, 255))
        elif kind == 2:
            changed[place:place] = chance.randbytes(chance.choice((1, 4, 64)))
        else:
            del changed[place : place + chance.choice((1, 4, 500))]
    return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["learned", "density"])
def test_damaged_files_give_a_value_error_or_weights_that_run(name: str, tmp_path: Path) -> None:
    chance = random.Random(14)
    known = (FOLDER / f"{name}.npz").read_bytes()
    refused = 0
    for number in range(1_000):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(mutate(known, chance))
        try:
            if name == "density":
                Density(model=str(path)).score(PAGE)
            else:
                unpack_arrays(path)
        except ValueError:
            refused += 1
        path.unlink()
    assert refused > 500


def test_many_names_of_one_place_are_refused(tmp_path: Path) -> None:
    name, array = "a.npy", array_file(np.zeros(200_000, np.float32))
    packed = pack({name: array}, zipfile.ZIP_STORED)
    end = packed.rindex(b"PK\5\6")
    start = packed.index(b"PK\1\2")
    entry, tail = packed[start:end], bytearray(packed[end:])
    tail[8:12] = (20).to_bytes(2, "little") * 2
    tail[12:16] = (20 * len(entry)).to_bytes(4, "little")
    file = tmp_path / "many.npz"
    file.write_bytes(packed[:start] + entry * 20 + bytes(tail))
    with pytest.raises(ValueError, match="bytes"):
        unpack_arrays(file)


def test_networks_with_layers_that_do_not_fit_are_no_networks(tmp_path: Path) -> None:
    with np.load(FOLDER / "density.npz") as known:
        arrays = dict(known)
    del arrays["mlp.1.bias"]
    arrays["3L.0.weights"] = arrays["3L.0.weights"][:, 0]
    arrays["3A.0.bias"] = np.zeros(7, np.float32)
    np.savez(tmp_path / "own.npz", **arrays)
    assert list(read_perceptrons("density", str(tmp_path / "own.npz"))) == ["1A"]
    with pytest.raises(ValueError, match="holds no network mlp"):
        Density(model=str(tmp_path / "own.npz")).score(PAGE)


def test_the_command_line_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.html").write_text("<p>One line of text")
    (tmp_path / "own.npz").write_bytes(pack({"a.npy": bytes(40 * 2**20)}))
    for method in ("learned", "density"):
        words = ["--method", f"{method}:model={tmp_path / 'own.npz'}"]
        assert main([str(tmp_path / "page.html"), *words]) == 2
        assert "unpacked it has more than 4,194,304 bytes" in capsys.readouterr().err
