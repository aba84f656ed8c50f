#!/usr/bin/env python3
"""The SBOM of tools/sbom.py names the package of every shared library of the binary: sbom_test.py TENON"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys

binary = sys.argv[1]
tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/sbom.py")
environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}


def sbom():
    return subprocess.run([tool, binary, "--data", "ca-certificates"], check=True, capture_output=True, text=True,
                          env=environment).stdout


text = sbom()
document = json.loads(text)
assert text == sbom(), "equal input gives other bytes"
assert document["spdxVersion"] == "SPDX-2.3"
assert document["creationInfo"]["created"] == "1970-01-01T00:00:00Z", document["creationInfo"]
packages = {package["name"]: package for package in document["packages"]}
related = {relation["relatedSpdxElement"]: relation["relationshipType"] for relation in document["relationships"]}
for package in document["packages"]:
    assert package["versionInfo"], package
    assert package["SPDXID"] in related, package["name"] + " has no relationship"
# What the dynamic section itself names, by the packages' own lists of files.
needed = re.findall(r"NEEDED\s+(\S+)", subprocess.run(["objdump", "-p", binary], check=True, capture_output=True, text=True).stdout)
assert needed, "no shared library is named"
listed = subprocess.run(["dpkg", "-L", *(name for name in packages if name != "tenon")], check=True, capture_output=True,
                        text=True).stdout
files = {os.path.basename(line) for line in listed.split("\n")}
for library in needed:
    assert library in files, f"no package of the SBOM has {library}"
assert related["SPDXRef-Package-libcurl4"] == "DYNAMIC_LINK"
assert related["SPDXRef-Package-libcctz-dev"] == "STATIC_LINK"
assert related["SPDXRef-Package-ca-certificates"] == "CONTAINS"
missing = subprocess.run([tool, binary, "--data", "no-such-package"], capture_output=True, text=True, check=False)
assert missing.returncode != 0 and "no-such-package is not installed" in missing.stderr, missing
print(f"ok   {len(packages)} packages")
