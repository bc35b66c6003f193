#!/usr/bin/env python3
"""Makes the files of Data/ again, byte by byte, and checks each row with other implementations than ours.

    python3 -m venv .build/vectors-venv && .build/vectors-venv/bin/pip install cryptography==50.0.2
    .build/vectors-venv/bin/python Tests/Libraries/JOSETests/Vectors/make_vectors.py [--check]

With --check nothing is written: it fails when a file differs from what would be.
"""

import pathlib
import sys

from making import check, ecdsa, eddsa, matrix, pkcs1, probabilistic

FAMILIES = {
    "RSA-PKCS1": pkcs1,
    "RSA-PSS": probabilistic,
    "ECDSA": ecdsa,
    "Ed25519": eddsa,
    "Matrix": matrix,
}
FOLDER = pathlib.Path(__file__).parent / "Data"


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or list(FAMILIES)
    for name in names:
        vectors = FAMILIES[name].make()
        counts = check.check(vectors)
        path = FOLDER / f"{name}.json"
        if "--check" in sys.argv:
            before = path.read_text()
            path = path.with_suffix(".new")
            vectors.write(path)
            after = path.read_text()
            path.unlink()
            assert before == after, f"{name} differs"
        else:
            vectors.write(path)
        print(name, counts)


if __name__ == "__main__":
    main()
