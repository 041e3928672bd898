"""The software bill of materials: SPDX 2.3 as JSON. Of a package: STRADS and packaging/dependencies.txt; of the tarball also
each library that lies in it.

Usage: sbom.py SBOM [SCHEMA]   checks one: against SCHEMA, the JSON schema of SPDX 2.3 (needs python3-jsonschema), if
given (spdx-spec, branch support/2.3.1, schemas/spdx-schema.json), and what no schema sees: that every relation leads
somewhere and every package has a version and a licence."""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

ROOT_ID = "SPDXRef-strads"
RELATION = {"linked": "DYNAMIC_LINK", "compiled": "STATIC_LINK", "loaded": "DEPENDS_ON", "bundled": "CONTAINS"}
NO = "NOASSERTION"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(spdx_id, name, version, licence, home, **more):
    known = {"versionInfo": version} if version else {"comment": "any version that the package manager installs"}
    return {"SPDXID": spdx_id, "name": name, **known, "downloadLocation": home or NO, "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": NO, **more}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def created():
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.timezone.utc)
    if seconds:
        now = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def bill(facts, bundled=(), name="strads"):
    """`name`: the package. `bundled`: (name, version, licence, file names, its copyright file's text) of the packages whose
    libraries lie beside the programs."""
    source = f"commit {facts.commit}" if facts.commit else "commit not noted"
    packages = [package(ROOT_ID, name, facts.version, "BSD-3-Clause", "", sourceInfo=f"{source}; {facts.compiler}")]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", ROOT_ID)]
    for each in facts.dependencies:
        packages.append(package(identifier(each.name), each.name, each.version, each.licence, each.home))
        relations.append(relation(ROOT_ID, RELATION[each.how], identifier(each.name)))
    own_licences = []
    for debian, version, licence, files, copyright_text in bundled:
        if licence.startswith("LicenseRef-"):
            own_licences.append({"licenseId": licence, "extractedText": copyright_text})
        spdx_id = identifier("debian-" + debian)
        packages.append(package(spdx_id, debian, version, licence, f"https://packages.debian.org/{debian}",
                                comment="files: " + ", ".join(files), externalRefs=[
                                    {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                     "referenceLocator": f"pkg:deb/debian/{debian}@{version}"}]))
        relations.append(relation(ROOT_ID, RELATION["bundled"], spdx_id))
    digest = hashlib.sha256(json.dumps([packages, relations], sort_keys=True).encode()).hexdigest()[:16]
    extracted = {"hasExtractedLicensingInfos": own_licences} if own_licences else {}
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{facts.version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{facts.version}-{digest}",
            "creationInfo": {"created": created(), "creators": ["Organization: The STRADS authors", "Tool: packaging/sbom.py"]},
            "packages": packages, "relationships": relations, **extracted}


def text_of(sbom):
    return json.dumps(sbom, indent=1) + "\n"


def mistakes(sbom):
    """What a schema does not see."""
    ids = [each["SPDXID"] for each in sbom["packages"]]
    if len(ids) != len(set(ids)):
        yield "an SPDXID is there twice"
    loaded = {each["relatedSpdxElement"] for each in sbom["relationships"] if each["relationshipType"] == RELATION["loaded"]}
    for each in sbom["packages"]:
        known = each.get("versionInfo") or each["SPDXID"] in loaded
        if not known or not each["licenseDeclared"]:
            yield (f"{each['name']}: version '{each.get('versionInfo', '')}', licence '{each['licenseDeclared']}': expected "
                   "both")
    for each in sbom["relationships"]:
        for end in (each["spdxElementId"], each["relatedSpdxElement"]):
            if end not in [*ids, sbom["SPDXID"]]:
                yield f"a relation leads to {end}, which is not there"
    for spdx_id in ids:
        if not any(each["relatedSpdxElement"] == spdx_id for each in sbom["relationships"]):
            yield f"no relation leads to {spdx_id}"


def main(path, schema=None):
    sbom = json.loads(pathlib.Path(path).read_text())
    found = list(mistakes(sbom))
    if schema is not None:
        import jsonschema  # pylint: disable=import-outside-toplevel
        validator = jsonschema.Draft201909Validator(json.loads(pathlib.Path(schema).read_text()))
        found += [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(sbom)]
    for line in found:
        print(f"{path}: {line}")
    if not found:
        print(f"{path}: {len(sbom['packages'])} packages, {'valid by ' + schema if schema else 'not compared with a schema'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
