"""An experiment as its INI file says it: axes, and the points of their grid. Nothing here knows what is done already."""
import csv
import dataclasses
import difflib
import itertools
import pathlib
import re

from strads_report.runs import USAGE, Failure, config_lines

EXPERIMENT = ("command", "out", "columns", "over", "report")  # what [experiment] may say
SECTIONS = ("experiment", "fixed", "grid", "cluster")
REPEAT = "repeat"  # an axis that sets no option
OVER = ("seed", REPEAT)  # axes over which means are taken, if nothing else is said
# What the experiment says itself, or what is no run.
OWN = ("out", "force", "quiet", "config", "print-config", "dry-run", "help", "help-all", "version", "resume", "deadline",
       "endpoint-file")
WRITTEN = ("trace-rounds",)  # options that name a file which a run writes
OF_THE_CLUSTER = ("listen", "nodes", "expect", "key", "insecure", "processes")
HERE = "{point}"  # in a value: the point's name
POINTS_MAX = 10000
NAME_MAX = 180  # letters: file systems take 255, and programs add to a name
RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")


@dataclasses.dataclass(frozen=True)
class Given:
    """A value, and where it was said: FILE:LINE."""
    value: str
    where: str


@dataclasses.dataclass(frozen=True)
class Point:
    """One run: `axes` {axis: value}, `options` {option: Given}."""
    name: str
    axes: dict
    options: dict


@dataclasses.dataclass(frozen=True)
class Plan:
    path: str
    command: tuple  # ("lasso", "fit")
    settings: dict  # [experiment], as texts
    cluster: dict  # [cluster]: {name: Given}
    axes: dict  # {axis: values}
    points: tuple
    over: tuple  # axes that means are taken over

    def setting(self, name):
        return self.settings.get(name)


def near(name, names):
    found = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {found[0]}?" if found else f"; expected one of: {', '.join(names)}" if len(names) < 12 else ""


class Ini:
    """Sections of a file, each line with its place; a name that comes twice is refused."""

    def __init__(self, path):
        self.path, self.sections, self.places = path, {}, {}
        for number, section, name, value in config_lines(path, USAGE):
            where = f"{path}:{number}"
            if name is None:
                if section in self.sections:
                    raise Failure(USAGE, f"{where}: a second [{section}], the first one is at {self.places[section]}; put its "
                                         "lines there")
                self.sections[section], self.places[section] = {}, where
                continue
            if not section:
                raise Failure(USAGE, f"{where}: '{name}' stands before any [section], expected below [experiment], [fixed] or "
                                     "[grid]")
            if name in self.sections[section]:
                raise Failure(USAGE, f"{where}: {name} comes twice in [{section}], first at "
                                     f"{self.sections[section][name].where}; keep one of them")
            self.sections[section][name] = Given(value, where)

    def section(self, name):
        return self.sections.get(name, {})


def values_of(name, given):
    """The values of an axis: separated by commas, "a,b" in quotes is one, 1..5 are five."""
    texts = next(csv.reader([given.value], skipinitialspace=True), []) if given.value else []
    values = []
    for text in (text.strip() for text in texts):
        found = RANGE.fullmatch(text)
        if found:
            first, last = int(found[1]), int(found[2])
            if first > last or last - first >= POINTS_MAX:
                raise Failure(USAGE, f"{given.where}: [grid] {name}: the range {text} has no value or more than {POINTS_MAX:,}, "
                                     "expected FIRST..LAST")
            values += map(str, range(first, last + 1))
        elif not text:
            raise Failure(USAGE, f"{given.where}: [grid] {name}: a value is empty, expected values with a comma between two of "
                                 "them, as in: a, b, 1..5")
        else:
            values.append(text)
    if not values:
        raise Failure(USAGE, f"{given.where}: [grid] {name} has no value, so that the grid is empty; give it some, as in: {name} = "
                             "a, b, 1..5")
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise Failure(USAGE, f"{given.where}: [grid] {name}: the value {twice} comes twice; keep one of them")
    return tuple(values)


def written(value):
    """A value as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "_", value)


def name_of(axes):
    return ",".join(f"{axis}={written(value)}" for axis, value in axes.items())


def check_option(name, given, known, command, in_cluster):
    if name in OWN:
        raise Failure(USAGE, f"{given.where}: --{name} is not for experiments: folders, repetition and time are their own; take the "
                             "line out")
    if name not in known:
        raise Failure(USAGE, f"{given.where}: {' '.join(command)} has no option --{name}{near(name, list(known))}"
                             f" ({' '.join(command)} --help-all lists all)")
    if in_cluster and name in OF_THE_CLUSTER:
        raise Failure(USAGE, f"{given.where}: --{name} is set by [cluster]; take this line or that section out")
    if name in WRITTEN and HERE not in given.value:
        raise Failure(USAGE, f"{given.where}: every run would write the same file {given.value}; put {HERE} into its name, which "
                             "becomes the name of the point")


def bundles_of(ini, axes):
    """{axis: {value: options}} of axes whose values are sections [AXIS VALUE]."""
    bundles = {}
    for section, where in ini.places.items():
        axis, _, value = section.partition(" ")
        if section in SECTIONS:
            continue
        if not value or axis not in axes:
            raise Failure(USAGE, f"{where}: [{section}] is no section of an experiment{near(section, SECTIONS)}; a value of an axis "
                                 "has one of its own if it is called [AXIS VALUE] and [grid] has that axis")
        if value.strip() not in axes[axis]:
            raise Failure(USAGE, f"{where}: [{section}]: [grid] {axis} has no value {value.strip()}; add it there, or take the "
                                 "section out")
        bundles.setdefault(axis, {})[value.strip()] = ini.section(section)
    for axis, options in bundles.items():
        missing = [value for value in axes[axis] if value not in options]
        if missing:
            raise Failure(USAGE, f"{ini.section('grid')[axis].where}: [grid] {axis}: the value {missing[0]} has no section "
                                 f"[{axis} {missing[0]}], which other values of it have; add one")
    return bundles


def settings_of(ini):
    for name, given in ini.section("experiment").items():
        if name not in EXPERIMENT:
            raise Failure(USAGE, f"{given.where}: [experiment] has no {name}{near(name, EXPERIMENT)}")
    settings = {name: given.value for name, given in ini.section("experiment").items()}
    if "experiment" not in ini.sections:
        raise Failure(USAGE, f"{ini.path}: it has no [experiment], expected a file like configs/sweep.ini; options of a single run are "
                             "for its program: --config FILE")
    if not settings.get("command"):
        raise Failure(USAGE, f"{ini.path}: [experiment] has no command, expected for example: command = lasso fit")
    if settings.get("report", "off") not in ("on", "off"):
        raise Failure(USAGE, f"{ini.section('experiment')['report'].where}: report = {settings['report']}, expected on or off")
    return settings


def over_of(ini, axes):
    given = ini.section("experiment").get("over")
    if given is None:
        return tuple(axis for axis in axes if axis in OVER)
    names = tuple(name.strip() for name in given.value.split(",") if name.strip())
    for name in names:
        if name not in axes:
            raise Failure(USAGE, f"{given.where}: over = {name}: [grid] has no such axis{near(name, list(axes))}")
    return names


def options_of(fixed, bundles, axes):
    """{option: Given} of one point."""
    options = dict(fixed)
    for axis, given in axes.items():
        if axis in bundles:
            options.update(bundles[axis][given.value])
        elif axis != REPEAT:
            options[axis] = given
    return options


def check_twice(ini, axes, bundles):
    """An option is said in one place: [fixed], an axis, or the sections of one axis."""
    said = {name: given.where for name, given in ini.section("fixed").items()}
    for axis in axes:
        names = {}
        for options in bundles.get(axis, {}).values():
            names.update({name: given.where for name, given in options.items()})
        if axis not in bundles and axis != REPEAT:
            names = {axis: ini.section("grid")[axis].where}
        for name, where in names.items():
            if name in said:
                raise Failure(USAGE, f"{where}: {name} is said at {said[name]} already; keep one of them")
        said.update(names)


def make_plan(path, known_of):
    """known_of(command): {option: what its value is} of the command's program."""
    ini = Ini(pathlib.Path(path))
    settings = settings_of(ini)
    grid = ini.section("grid")
    if not grid:
        raise Failure(USAGE, f"{ini.places.get('grid', path)}: the grid is empty, expected a line for each axis below [grid], as in: "
                             "seed = 1..5")
    axes = {name: values_of(name, given) for name, given in grid.items()}
    if REPEAT in axes and not all(re.fullmatch(r"[0-9]+", value) for value in axes[REPEAT]):
        raise Failure(USAGE, f"{grid[REPEAT].where}: [grid] {REPEAT} = {grid[REPEAT].value}, expected numbers, as in 1..3")
    bundles = bundles_of(ini, axes)
    check_twice(ini, axes, bundles)
    command = tuple(settings["command"].split())
    known, in_cluster = known_of(command, ini), bool(ini.section("cluster"))
    sources = [ini.section("fixed"), *(options for values in bundles.values() for options in values.values()),
               {axis: given for axis, given in grid.items() if axis not in bundles and axis != REPEAT}]
    for source in sources:
        for name, given in source.items():
            check_option(name, given, known, command, in_cluster)
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > POINTS_MAX:
        raise Failure(USAGE, f"{ini.places['grid']}: the grid has {count:,} points, at most {POINTS_MAX:,}; give fewer values")
    return Plan(str(path), command, settings, ini.section("cluster"), axes, points_of(ini, axes, bundles), over_of(ini, axes))


def points_of(ini, axes, bundles):
    """The last axis changes fastest."""
    points, names = [], {}
    for values in itertools.product(*axes.values()):
        given = {axis: Given(value, ini.section("grid")[axis].where) for axis, value in zip(axes, values)}
        at = dict(zip(axes, values))
        name = name_of(at)
        if len(name) > NAME_MAX:
            raise Failure(USAGE, f"{ini.places['grid']}: the name {name[:60]}... has {len(name)} letters, at most {NAME_MAX}; give long "
                                 "values short names by sections [AXIS NAME]")
        if name in names:
            raise Failure(USAGE, f"{ini.places['grid']}: two points are called {name}; give their values names by sections "
                                 "[AXIS NAME]")
        names[name] = at
        options = {option: Given(each.value.replace(HERE, name), each.where)
                   for option, each in options_of(ini.section("fixed"), bundles, given).items()}
        points.append(Point(name, at, options))
    return tuple(points)
