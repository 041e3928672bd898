"""The policies in pictures of the objective against time and updates: their runs, their colours, their lines."""
import math

from pictures import entry, log_x, read_csv

POLICIES = ("paper", "static", "uniform", "auto")
# One colour and one marker a policy everywhere, dashed and open without the guard.
COLOUR = {"paper": "#D55E00", "static": "#009E73", "uniform": "#0072B2", "auto": "#000000"}
MARKER = {"paper": "o", "static": "s", "uniform": "^", "auto": "D"}
LABEL = {"paper": "paper (STRADS)", "static": "static", "uniform": "uniform (Shotgun)", "auto": "auto (ours)"}
HEADER = ["data", "lambda", "cores", "policy", "guard", "seconds", "objective", "updates"]
# Those that often lie on each other: the wide one is seen on both sides of the narrow one that is drawn on it.
_DRAWN = ("static", "uniform", "paper", "auto")
_WIDTH = {"static": 3.2}


def cluster(cores, host_cores):
    hosts = -(-cores // host_cores)
    return ["--hosts", str(hosts), "--cores", str(cores // hosts)]


def logical(policy, cores, depth=None, workers=None):
    """One worker a core; four schedulers and two rounds in flight hide the planning where there is something to hide."""
    workers = workers or cores
    depth = depth or (2 if cores >= 4 else 1)
    return ["--policy", policy, "--workers", str(workers), "--schedulers", str(max(4, 2 * depth) if cores >= 4 else 1),
            "--depth", str(depth)]


def budget(data, passes, workers):
    """Rounds that visit every variable so often: one variable a worker and round."""
    return ["--max-rounds", str(max(20, int(passes * data.variables / workers)))]


def name_of(data, weight, cores, policy, guard):
    return f"curves-{data.name}-{weight}-{cores}-{policy}{'' if guard else '-unguarded'}"


def jobs(sets, lambdas, cores_of_all, host_cores, passes):
    """Each policy, with the guard and without it, on each set, at each lambda and number of cores."""
    for data in sets:
        for weight, value in lambdas.items():
            for cores in cores_of_all:
                for policy in POLICIES:
                    for guard in (True, False) if policy != "auto" else (True,):
                        more = [*value, *cluster(cores, host_cores), *logical(policy, cores), "--rho", "0.1",
                                "--guard", "on" if guard else "off", *budget(data, passes, cores)]
                        yield name_of(data, weight, cores, policy, guard), data, more


def thinned(points, most=400):
    """Some points of a curve, evenly over the logarithm of time, with the first and the last."""
    if len(points) <= most:
        return points
    last = math.log(points[-1][0])
    first = math.log(max(points[0][0], 1e-9))
    kept, wanted = [points[0]], first
    for point in points[1:-1]:
        if math.log(max(point[0], 1e-9)) >= wanted:
            kept.append(point)
            wanted = math.log(max(point[0], 1e-9)) + (last - first) / most
    return [*kept, points[-1]]


def rows_of(runner, data, weight, cores_of_all):
    """Rows of a CSV, by HEADER."""
    for cores in cores_of_all:
        for policy in POLICIES:
            for guard in (True, False):
                for point in thinned(runner.curve(name_of(data, weight, cores, policy, guard))):
                    yield (data.name, weight, cores, policy, "on" if guard else "off", *point)


def read_curves(path):
    """{(cores, policy, guard): rows} of such a CSV."""
    curves = {}
    for row in read_csv(path):
        curves.setdefault((int(row["cores"]), row["policy"], row["guard"] == "on"), []).append(row)
    return curves


def draw(axis, curves, cores, policies=POLICIES, x="seconds"):
    """The curves of one panel. On a logarithmic axis of updates it begins at the second point: F(0) has none."""
    for guard in (False, True):
        for place, policy in enumerate(one for one in _DRAWN if one in policies):
            points = [one for one in curves.get((cores, policy, guard), []) if one[x] > 0]
            # Markers lie at equal distances, at other places of each policy, so that none is hidden.
            axis.plot([one[x] for one in points], [one["objective"] for one in points], color=COLOUR[policy],
                      linestyle="-" if guard else (0, (4, 2)), linewidth=_WIDTH.get(policy, 1.5) if guard else 1.1,
                      marker=MARKER[policy], markersize=5 if guard else 4.5, markevery=(0.04 + 0.045 * place, 0.19),
                      markerfacecolor=COLOUR[policy] if guard else "white", markeredgecolor="white" if guard else COLOUR[policy],
                      markeredgewidth=0.6 if guard else 1.0)
    log_x(axis)
    axis.set_xlabel({"seconds": "virtual time (s)", "updates": "coordinate updates (count)"}[x])
    axis.set_title(f"{cores} cores", fontsize=10)


def entries(policies=POLICIES, without_guard=True):
    """Of a legend."""
    lines = [policy_entry(policy) for policy in policies]
    dashed = entry("without the guard", color="#555555", linestyle=(0, (4, 2)), linewidth=1.1, marker="o", markersize=4.5,
                   markerfacecolor="white", markeredgecolor="#555555")
    return [*lines, dashed] if without_guard else lines


def policy_entry(policy, more=""):
    return entry(LABEL[policy] + more, color=COLOUR[policy], marker=MARKER[policy], markersize=5,
                 linewidth=_WIDTH.get(policy, 1.5), markeredgecolor="white", markeredgewidth=0.6)
