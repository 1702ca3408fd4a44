"""The list of the contents of an archive as CycloneDX 1.5 JSON, from the metadata of the wheels only: same wheels, same bytes."""

from __future__ import annotations

import hashlib
import re
import time
import uuid
import zipfile
from collections.abc import Sequence
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from typing import Any

LONGEST_NAME = 100  # a field longer than this is the text of a licence, not its name


def metadata(wheel: Path) -> Message:
    """Return the METADATA of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (entry for entry in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", entry))
        return BytesParser().parsebytes(archive.read(name))


def normal(name: str) -> str:
    """Return the normalised name of a distribution, which tools compare."""
    return re.sub(r"[-_.]+", "-", name).lower()


def reference(fields: Message) -> str:
    """Return the package URL, by which scanners look up vulnerabilities."""
    return f"pkg:pypi/{normal(fields['Name'])}@{fields['Version']}"


def licenses(fields: Message) -> list[dict[str, Any]]:
    """Return the declared licence: an SPDX expression, else a name, else the classifiers."""
    if fields["License-Expression"]:
        return [{"expression": fields["License-Expression"]}]
    declared = (fields["License"] or "").strip()
    if declared and "\n" not in declared and len(declared) <= LONGEST_NAME:
        return [{"license": {"name": declared}}]
    classifiers = [line for line in fields.get_all("Classifier", []) if line.startswith("License ::")]
    return [{"license": {"name": line.rsplit(" :: ", 1)[1]}} for line in classifiers]


def sha256(content: bytes) -> list[dict[str, str]]:
    """Return a hash in the form of CycloneDX."""
    return [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]


def libraries(wheel: Path, owner: str) -> list[dict[str, Any]]:
    """Return the shared libraries in a wheel, such as OpenBLAS, as files with hashes, because no metadata holds their versions."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(entry for entry in archive.namelist() if re.match(r"\w+\.libs/[^/]+$|[^/]+/\.dylibs/[^/]+$", entry))
        return [
            {"type": "file", "bom-ref": f"{owner}#{name}", "name": name, "hashes": sha256(archive.read(name))}
            for name in names
            if not name.endswith((".py", "/"))
        ]


def component(wheel: Path) -> dict[str, Any]:
    """Return a wheel with the libraries inside it."""
    fields = metadata(wheel)
    owner = reference(fields)
    found = {
        "type": "library",
        "bom-ref": owner,
        "name": fields["Name"],
        "version": fields["Version"],
        "description": fields["Summary"] or "",
        "hashes": sha256(wheel.read_bytes()),
        "licenses": licenses(fields),
        "purl": owner,
        "properties": [{"name": "ugt:wheel", "value": wheel.name}],
    }
    inside = libraries(wheel, owner)
    return {**found, "components": inside} if inside else found


def requirements(fields: Message) -> list[str]:
    """Return the names of the requirements of a wheel, without extras."""
    lines = [line for line in fields.get_all("Requires-Dist", []) if "extra ==" not in line]
    return sorted({normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines})


def bill(wheels: Sequence[Path], name: str, version: str, epoch: int) -> dict[str, Any]:
    """Return the whole list; its serial number is made from the hashes."""
    ordered = sorted(wheels, key=lambda wheel: wheel.name)
    components = [component(wheel) for wheel in ordered]
    fields = [metadata(wheel) for wheel in ordered]
    here = {normal(one["Name"]): reference(one) for one in fields}
    root = f"{name}@{version}"
    serial = uuid.uuid5(uuid.NAMESPACE_OID, "".join(one["hashes"][0]["content"] for one in components))
    needs = [{"ref": reference(one), "dependsOn": [here[need] for need in requirements(one) if need in here]} for one in fields]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "component": {"type": "application", "bom-ref": root, "name": name, "version": version},
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": sorted(here.values())}, *needs],
    }
