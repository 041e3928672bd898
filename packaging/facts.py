"""What a build knows of itself: build_facts.txt, written by cmake/DependencyTable.cmake."""
import dataclasses
import pathlib


@dataclasses.dataclass
class Dependency:
    name: str
    version: str
    licence: str  # SPDX expression
    how: str  # "linked": a shared library; "compiled": its headers
    home: str


@dataclasses.dataclass
class Facts:
    version: str = ""
    commit: str = ""  # "": not noted
    compiler: str = ""
    dependencies: list = dataclasses.field(default_factory=list)


def read_facts(path):
    facts = Facts()
    for line in pathlib.Path(path).read_text().splitlines():
        name, *values = line.split("\t")
        if name == "dependency":
            facts.dependencies.append(Dependency(*values))
        else:
            setattr(facts, name, values[0])
    return facts
