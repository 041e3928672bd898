#!/usr/bin/env python3
"""What a node reads goes to no driver: with other data on the node than on the driver, the driver hears that they cannot
be used, and not one word of them.

usage: unreadable_data.py BIN_DIR SOURCE_DIR
"""
import os
import subprocess
import sys
import tempfile

from story import listening_driver, new_key

SECRET = "hunter2"


def main():
    bin_dir = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        here, there = os.path.join(folder, "here"), os.path.join(folder, "there")
        for place, cell in ((here, "3"), (there, SECRET)):
            os.makedirs(place)
            with open(os.path.join(place, "x.csv"), "w", encoding="ascii") as file:
                file.write(f"y,a,b\n1,2,3\n2,{cell},1\n3,1,2\n1,4,2\n")
        key = new_key(bin_dir, folder)
        fit = [os.path.join(bin_dir, "lasso"), "fit", "--x", os.path.join(here, "x.csv"), "--y-name", "y", "--out",
               os.path.join(folder, "out")]
        driver, endpoint = listening_driver(fit, folder, ["--nodes", "1", *key])
        node = subprocess.run([os.path.join(bin_dir, "stradsd"), "--join", endpoint, "--data-dir", there, *key],
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        _, said = driver.communicate(timeout=60)
        with open(os.path.join(folder, "out", "log.txt"), encoding="utf-8") as file:
            log = file.read()
    print(f"driver, exit code {driver.returncode}: {said.strip()}\nnode, exit code {node.returncode}: {node.stderr.strip()}")
    good = (driver.returncode == 4 and SECRET not in said + log and os.path.join(there, "x.csv") in said
            and SECRET in node.stderr)
    print("as it must" if good else "WRONG")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
