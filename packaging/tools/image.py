"""The container image: a root folder with the program and the libraries that it needs, and its OCI archive."""
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import time as clock
from pathlib import Path

from files import tar_of, write_tar

# A number without an entry in the user databases of distributions, as other images without a shell use it.
USER = 65532
STATE = "var/lib/gatehouse"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(program):
    """Returns the shared libraries of a program and its interpreter, as pairs of a name and a file of this machine."""
    found = []
    for line in output("ldd", program).splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
        if match:
            found.append((match[1] or match[2], Path(match[2]).resolve()))
        elif "not found" in line:
            raise SystemExit(f"package: {line.strip()}; install the library that the program needs")
    return found


def package_of(file):
    """Returns the Debian package that a file came with."""
    # The database may have the path from before /lib became a link to /usr/lib.
    for path in [str(file), str(file).removeprefix("/usr")]:
        result = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
        if result.returncode == 0:
            return result.stdout.split(": ")[0].split(",")[0]
    raise SystemExit(f"package: no Debian package has {file}; build on Debian or Ubuntu, with its libraries")


def system_packages(program):
    """Returns the Debian packages of the shared libraries, sorted: name, version, source and licenses' file of each."""
    names = sorted({package_of(file) for _, file in libraries(program)})
    return [described(name) for name in names]


def described(name):
    """Returns name, version and source of an installed Debian package."""
    fields = {"name": "Package", "version": "Version", "source": "source:Package", "architecture": "Architecture"}
    template = "\t".join(f"${{{field}}}" for field in fields.values())
    return dict(zip(fields, output("dpkg-query", "--show", f"--showformat={template}", name).split("\t")))


def write(root, path, content, mode=0o644):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    file.chmod(mode)


def add_library(root, name, file):
    if name.startswith("/"):
        # The interpreter has a fixed path, which is a link into the folder of libraries.
        target = root / str(file).lstrip("/").removeprefix("usr/")
        link = Path(name)
        write(root, f"usr/{target.relative_to(root)}", file.read_bytes(), 0o755)
        if link.parent != Path("/lib"):
            (root / f"usr{link.parent}").mkdir(parents=True, exist_ok=True)
            relative = os.path.relpath(root / "usr" / target.relative_to(root), root / f"usr{link.parent}")
            (root / f"usr{name}").symlink_to(relative)
            if not (root / link.parent.name).is_symlink():
                (root / link.parent.name).symlink_to(f"usr/{link.parent.name}")
    else:
        folder = str(file.parent).lstrip("/").removeprefix("usr/")
        write(root, f"usr/{folder}/{name}", file.read_bytes())


def add_package_record(root, name):
    """Adds the record and the copyright of a Debian package, so that scanners of images recognise it."""
    plain = name.split(":")[0]
    record = output("dpkg-query", "--status", name)
    write(root, f"var/lib/dpkg/status.d/{plain}", record)
    copyright = Path(f"/usr/share/doc/{plain}/copyright")
    if copyright.exists():
        write(root, f"usr/share/doc/{plain}/copyright", copyright.read_bytes())


def certificate_authorities():
    """Returns the certificates of the package ca-certificates, without ones that were added to this machine."""
    files = [Path(line) for line in output("dpkg-query", "--listfiles", "ca-certificates").splitlines()]
    texts = [file.read_text().rstrip("\n") + "\n" for file in sorted(files) if file.suffix == ".crt" and file.is_file()]
    if len(texts) < 50:
        raise SystemExit("package: the package ca-certificates has no certificates; install it again")
    return "".join(texts)


def make_root(root, program, documents):
    """Makes the root folder of the image. `documents` has the content of files of /usr/share/doc/gatehouse."""
    root = Path(root)
    if root.exists():
        shutil.rmtree(root)
    for folder in ["usr/bin", "usr/lib", "etc/gatehouse", STATE, "proc", "sys", "dev", "tmp"]:
        (root / folder).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    write(root, "usr/bin/gatehouse", Path(program).read_bytes(), 0o755)
    for name, file in libraries(program):
        add_library(root, name, file)
    for package in system_packages(program) + [described("ca-certificates")]:
        add_package_record(root, package["name"])
    for name, content in documents.items():
        write(root, f"usr/share/doc/gatehouse/{name}", content)
    write(root, "etc/ssl/certs/ca-certificates.crt", certificate_authorities())
    users = ["root:x:0:0::/root:/sbin/nologin", f"gatehouse:x:{USER}:{USER}::/{STATE}:/sbin/nologin"]
    write(root, "etc/passwd", "\n".join(users) + "\n")
    write(root, "etc/group", f"root:x:0:\ngatehouse:x:{USER}:\n")
    write(root, "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    for folder in root.rglob("*"):
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(0o755)
    (root / STATE).chmod(0o700)
    (root / "tmp").chmod(0o1777)
    if os.geteuid() == 0:
        # For Dockerfile, which copies the folder. The archive has the owner in any case.
        os.chown(root / STATE, USER, USER)


def dockerfile_settings(dockerfile):
    """Returns the settings of the final stage of the Dockerfile, so that both ways make the same image."""
    text = re.sub(r"\\\n\s*", " ", Path(dockerfile).read_text()).split("FROM scratch")[1]
    lines = [line.split(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    named = {name: value for name, value in lines if name != "LABEL"}
    labels = dict(re.findall(r'([\w.]+)="([^"]*)"', dict(lines)["LABEL"]))
    return {
        "User": named["USER"],
        "ExposedPorts": {f"{port}/tcp": {} for port in named["EXPOSE"].split()},
        "Env": ["PATH=/usr/bin", *named["ENV"].split()],
        "Entrypoint": json.loads(named["ENTRYPOINT"]),
        "Cmd": json.loads(named["CMD"]),
        "Volumes": {path: {} for path in json.loads(named["VOLUME"])},
        "WorkingDir": "/",
        "Labels": labels,
        "StopSignal": named["STOPSIGNAL"],
    }


def write_archive(path, root, settings, version, revision, architecture, time):
    """Writes an OCI archive of the root folder, by the OCI image specification 1.0, which `docker load` reads too."""
    layer = io.BytesIO()
    write_tar(layer, root, time, owners={STATE: USER})
    difference = hashlib.sha256(layer.getvalue()).hexdigest()
    compressed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, compressed, mtime=0) as file:
        file.write(layer.getvalue())
    created = clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime(time))
    labels = {
        name: value.replace("${VERSION}", version).replace("${REVISION}", revision)
        for name, value in settings["Labels"].items()
    }
    labels["org.opencontainers.image.created"] = created
    configuration = {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {**settings, "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{difference}"]},
        "history": [{"created": created, "created_by": "script/package"}],
    }
    blobs = {}

    def descriptor(kind, content, **more):
        name = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{name}"] = content
        return {"mediaType": kind, "digest": f"sha256:{name}", "size": len(content), **more}

    def text(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    image = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{image}.manifest.v1+json",
        "config": descriptor(f"{image}.config.v1+json", text(configuration)),
        "layers": [descriptor(f"{image}.layer.v1.tar+gzip", compressed.getvalue())],
        "annotations": labels,
    }
    name = f"gatehouse:{version}"
    named = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": f"docker.io/library/{name}"}
    platform = {"architecture": architecture, "os": "linux"}
    entry = descriptor(manifest["mediaType"], text(manifest), platform=platform, annotations=named)
    index = {"schemaVersion": 2, "mediaType": f"{image}.index.v1+json", "manifests": [entry]}
    # `docker load` of engines without containerd's store of images reads this file in place of the index.
    paths = {entry["digest"]: "blobs/" + entry["digest"].replace(":", "/") for entry in
             [manifest["config"], *manifest["layers"]]}
    docker = [{"Config": paths[manifest["config"]["digest"]], "RepoTags": [name],
               "Layers": [paths[layer["digest"]] for layer in manifest["layers"]]}]
    files = {
        "oci-layout": text({"imageLayoutVersion": "1.0.0"}), "index.json": text(index), "manifest.json": text(docker),
        **blobs,
    }
    Path(path).write_bytes(tar_of(files, time))
