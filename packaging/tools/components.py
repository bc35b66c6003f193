"""The components of the program: its bill of materials in SPDX 2.3, and the licenses that their owners require."""
import hashlib
import json
import re
import subprocess
import time as clock
from pathlib import Path

from image import described, libraries, system_packages

# Texts that name a license, by SPDX identifier.
LICENSES = [
    ("Apache-2.0 WITH Swift-exception", r"Runtime Library Exception"),
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms[\s\S]*Neither the name"),
]


def build_folder(binary):
    """Returns the nearest folder above the program that has the versions of its packages."""
    for folder in Path(binary).resolve().parents:
        if (folder / "Package.resolved").is_file():
            return folder
    return None


def swift_packages(folder):
    """Returns the packages that the build resolved, sorted, with the texts of their licenses if they are there."""
    found = []
    for pin in json.loads((folder / "Package.resolved").read_text())["pins"]:
        name = pin["location"].removesuffix(".git").rsplit("/", 1)[1]
        checkout = folder / ".build/checkouts" / name
        files = sorted([*checkout.glob("LICENSE*"), *checkout.glob("NOTICE*")])
        texts = {file.name: file.read_text() for file in files}
        found.append({
            "name": name, "location": pin["location"].removesuffix(".git"), "texts": texts,
            "version": pin["state"].get("version") or pin["state"]["revision"], "revision": pin["state"]["revision"],
        })
    return sorted(found, key=lambda package: package["name"].lower())


def license_of(text):
    return next((name for name, pattern in LICENSES if re.search(pattern, text)), "NOASSERTION")


def has_static_hiredis(binary):
    return not any(name.startswith("libhiredis") for name, _ in libraries(binary))


def toolchain():
    """Returns the version of the Swift toolchain, and the text of its license."""
    text = subprocess.run(["swiftc", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", text)
    location = subprocess.run(["bash", "-c", "readlink -f $(command -v swiftc)"], capture_output=True, text=True).stdout
    license = Path(location.strip()).parent.parent / "share/swift/LICENSE.txt"
    return version[1] if version else "unknown", license.read_text() if license.is_file() else None


def hiredis():
    """Returns the development package of hiredis, and the text of its license."""
    package = described("libhiredis-dev")
    return package, Path("/usr/share/doc/libhiredis-dev/copyright").read_text()


def notices(binary, folder):
    """Returns the licenses and notices of the code in the program."""
    version, license = toolchain()
    parts = [(f"Swift {version}, with Foundation and ICU", {"LICENSE.txt": license} if license else {})]
    parts += [(f"{package['name']} {package['version']}", package["texts"]) for package in swift_packages(folder)]
    if has_static_hiredis(binary):
        package, license = hiredis()
        parts.append((f"hiredis {package['version']}", {"copyright": license}))
    missing = [name for name, texts in parts if not texts]
    if missing:
        raise SystemExit(f"package: no license found of {', '.join(missing)}; run `swift package resolve`")
    lines = ["The program contains code of the following projects. Their licenses require these notices.\n"]
    for name, texts in parts:
        for file, text in texts.items():
            lines.append(f"\n{'=' * 80}\n{name}: {file}\n{'=' * 80}\n\n{text.rstrip()}\n")
    return "".join(lines)


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def entry(kind, name, version, purl=None, license="NOASSERTION", location="NOASSERTION", **more):
    reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
    return {
        "SPDXID": identifier(kind, name), "name": name, "versionInfo": version, "downloadLocation": location,
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": license,
        "copyrightText": "NOASSERTION", **({"externalRefs": [reference]} if purl else {}), **more,
    }


def debian_entry(package):
    purl = f"pkg:deb/debian/{package['name']}@{package['version'].replace('+', '%2B')}?arch={package['architecture']}"
    return entry("Debian", package["name"], package["version"], purl, sourceInfo=f"source package {package['source']}")


def bill_of_materials(binary, folder, version, revision, time):
    """Returns the SPDX document of a program: its Swift packages and static libraries, and the Debian packages of its
    shared libraries, as on the machine of the build and in the image."""
    checksum = hashlib.sha256(Path(binary).read_bytes()).hexdigest()
    program = entry(
        "Program", "gatehouse", version, f"pkg:generic/gatehouse@{version}", primaryPackagePurpose="APPLICATION",
        checksums=[{"algorithm": "SHA256", "checksumValue": checksum}], sourceInfo=f"commit {revision}")
    swift, _ = toolchain()
    contained = [entry("Swift", "swift", swift, f"pkg:generic/swift@{swift}", "Apache-2.0 WITH Swift-exception")]
    for package in swift_packages(folder):
        place = package["location"].removeprefix("https://")
        contained.append(entry(
            "Swift", package["name"], package["version"], f"pkg:swift/{place}@{package['version']}",
            license_of(package["texts"].get("LICENSE.txt") or package["texts"].get("LICENSE", "")),
            f"git+{package['location']}@{package['revision']}"))
    if has_static_hiredis(binary):
        package, license = hiredis()
        contained.append({**debian_entry(package), "licenseDeclared": license_of(license)})
    shared = [debian_entry(package) for package in system_packages(binary)]
    shared_data = debian_entry(described("ca-certificates"))
    main = program["SPDXID"]

    def related(kind, packages):
        return [{"spdxElementId": main, "relationshipType": kind, "relatedSpdxElement": package["SPDXID"]}
                for package in packages]

    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gatehouse-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/gatehouse-{version}-{checksum}",
        "creationInfo": {
            "created": clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime(time)),
            "creators": ["Tool: gatehouse-script-package"],
        },
        "packages": [program, *contained, *shared, shared_data],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": main},
            *related("DEPENDS_ON", contained), *related("DYNAMIC_LINK", shared), *related("DEPENDS_ON", [shared_data]),
        ],
    }
