"""What a build knows of itself: build_facts.txt, written by cmake/DependencyTable.cmake."""
import dataclasses
import pathlib


@dataclasses.dataclass
class Dependency:
    name: str
    version: str  # "": whichever is there at run time
    licence: str  # SPDX expression
    how: str  # "linked": a shared library; "compiled": its headers; "loaded": needed at run time
    home: str


@dataclasses.dataclass
class Facts:
    version: str = ""
    commit: str = ""  # "": not noted
    compiler: str = ""
    dependencies: list = dataclasses.field(default_factory=list)
    dependencies_of: dict = dataclasses.field(default_factory=dict)  # by language: what its package has besides

    def of_language(self, language):
        """The facts of that language's package."""
        return dataclasses.replace(self, dependencies=self.dependencies + self.dependencies_of.get(language, []))


def read_facts(path):
    facts = Facts()
    for line in pathlib.Path(path).read_text().splitlines():
        name, *values = line.split("\t")
        if name == "dependency":
            facts.dependencies.append(Dependency(*values))
        elif name == "dependency_of":
            facts.dependencies_of.setdefault(values[0], []).append(Dependency(*values[1:]))
        else:
            setattr(facts, name, values[0])
    return facts
