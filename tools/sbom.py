#!/usr/bin/env python3
"""Writes an SBOM (SPDX 2.3, JSON) of a binary: the Debian packages of its shared libraries, and of what is compiled in.

  tools/sbom.py BINARY [--static] [--data PACKAGE...]
      --static: with the packages of the archives that TENON_STATIC links
      --data: packages whose files are shipped beside the binary, such as ca-certificates

Prints to standard output. The date is that of SOURCE_DATE_EPOCH, or of the binary's file: equal input, equal bytes.
"""
# SPDX-License-Identifier: Apache-2.0
import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

# Compiled in, in every build: header-only libraries, and cctz, which Debian has as an archive only.
COMPILED_IN = ["libboost1.81-dev", "libcli11-dev", "libexpected-dev", "libcctz-dev"]
ARCHIVES = ["coinor-libclp-dev", "coinor-libcoinutils-dev", "liblapack-dev", "libblas-dev", "libgfortran-12-dev",
            "libbz2-dev", "libyaml-dev", "libre2-dev", "libpugixml-dev"]
COPYRIGHT = "NOASSERTION"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(binary):
    """The paths of the shared libraries of a binary, with its dynamic linker."""
    listed = output("ldd", binary)
    if "not found" in listed:
        sys.exit(f"tools/sbom.py: {binary}: a library is missing:\n{listed}")
    return sorted(set(re.findall(r"(/\S+) \(0x", listed)))


def package_of(path):
    """The package that has a file. dpkg records it under one of two names where /lib is a link to /usr/lib."""
    real = os.path.realpath(path)
    for name in (path, real, real.removeprefix("/usr"), "/usr" + path):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0]
    return sys.exit(f"tools/sbom.py: {path}: no Debian package has it, so the list would be incomplete")


def facts(package):
    """Name, version, source and architecture of an installed package; ends with an error if it is not installed."""
    form = "${Package}\t${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n"
    found = subprocess.run(["dpkg-query", "-W", "-f", form, package], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        sys.exit(f"tools/sbom.py: {package} is not installed: {found.stderr.strip()}")
    return found.stdout.split("\n")[0].split("\t")


def component(package, how):
    name, version, source, source_version, architecture = facts(package)
    return {
        "SPDXID": "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": COPYRIGHT,
        "sourceInfo": f"built from Debian's source {source} {source_version}",
        "comment": how,
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}"
                                f"?arch={architecture}&distro=debian-12",
        }],
    }


def created(binary):
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or os.path.getmtime(binary))
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def document(binary, static, data):
    with open(binary, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    version = json.loads(output(os.path.abspath(binary), "version", "-o", "json"))["version"]
    parts = {}
    for path in libraries(binary):
        package = package_of(path)
        parts[package] = component(package, "shared library")
    for package in COMPILED_IN + (ARCHIVES if static else []):
        parts.setdefault(package, component(package, "compiled into the binary"))
    for package in data:
        parts.setdefault(package, component(package, "files beside the binary"))
    own = {
        "SPDXID": "SPDXRef-Package-tenon",
        "name": "tenon",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": COPYRIGHT,
        "primaryPackagePurpose": "APPLICATION",
    }
    components = sorted(parts.values(), key=lambda part: part["name"])
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tenon-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tenon-{version}-{digest}",
        "creationInfo": {"created": created(binary), "creators": ["Tool: tenon-sbom", "Organization: The Tenon authors"]},
        "packages": [own] + components,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}
        ] + [
            {"spdxElementId": own["SPDXID"], "relatedSpdxElement": part["SPDXID"],
             "relationshipType": {"shared library": "DYNAMIC_LINK", "compiled into the binary": "STATIC_LINK"}.get(
                 part["comment"], "CONTAINS")}
            for part in components
        ],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--static", action="store_true")
    parser.add_argument("--data", nargs="*", default=[])
    arguments = parser.parse_args()
    json.dump(document(arguments.binary, arguments.static, arguments.data), sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
