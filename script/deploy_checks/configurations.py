"""The configurations of the gateway in deploy/: config/schema.json, and `gatehouse check` if there is a binary."""

import json
import os
import re
import tempfile
from pathlib import Path

import jsonschema
import yaml

from programs import REPOSITORY, run

SCHEMA = json.loads((REPOSITORY / "config/schema.json").read_text())
SECRET = "example-secret-0123456789"


class Folder:
    """A folder with the files that configurations name: absolute paths are below it."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = Path(self.temporary.name)
        # One certificate serves as the listener's and as an authority.
        code, output = run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                           "-keyout", self.path / "key", "-out", self.path / "certificate", "-days", "30",
                           "-subj", "/CN=gateway.example", "-addext", "subjectAltName=DNS:gateway.example")
        assert code == 0, output

    def write(self, files):
        """Writes the configuration with its neighbours and everything that it names. Returns its path."""
        folder = self.path / "etc/gatehouse"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            if name != "gatehouse.yaml":
                (folder / name).write_text(text)
        text = re.sub(r"(?<=[ :{])/(?=(?:etc|run)/)", f"{self.path}/", files["gatehouse.yaml"])
        for name in re.findall(rf"{self.path}/[\w./-]+", text):
            file = Path(name)
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix in (".crt", ".pem", ".key"):
                file.write_bytes((self.path / ("key" if file.suffix == ".key" else "certificate")).read_bytes())
            else:
                file.write_text(SECRET)
            file.chmod(0o600)
        path = folder / "gatehouse.yaml"
        path.write_text(text)
        return path


def problems(files, environment, folder, binary, warns=False):
    """The problems of one configuration: `files` by name, among them gatehouse.yaml. `warns`: it has warnings."""
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for error in validator.iter_errors(yaml.safe_load(files["gatehouse.yaml"])):
        yield f"config/schema.json: {'.'.join(map(str, error.path))}: {error.message[:200]}"
    if not binary:
        return
    code, output = run(binary, "check", folder.write(files), env={"PATH": os.environ["PATH"], **environment})
    if code != 0 or ("warning:" in output) != warns:
        yield f"gatehouse check: exit code {code}: {output}"
