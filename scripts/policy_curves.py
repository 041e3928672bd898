"""The policies in pictures of the objective against time and updates: their runs, their colours, their lines."""
import math

POLICIES = ("paper", "static", "uniform", "auto")
# One colour a policy everywhere (Okabe, Ito: told apart by everybody), dashed without the guard.
COLOUR = {"paper": "#D55E00", "static": "#009E73", "uniform": "#0072B2", "auto": "#000000"}
LABEL = {"paper": "paper (STRADS)", "static": "static", "uniform": "uniform (Shotgun)", "auto": "auto (ours)"}


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


def draw(axis, points, policy, guard, x=0):
    """points: (seconds, objective, updates); x: which of these is drawn to the right."""
    axis.plot([p[x] for p in points], [p[1] for p in points], color=COLOUR[policy], linestyle="-" if guard else "--",
              linewidth=1.7 if guard else 1.2)
