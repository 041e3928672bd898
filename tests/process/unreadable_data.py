#!/usr/bin/env python3
"""What a node reads goes to no driver: with other data on the node than on the driver, the driver hears that they cannot
be used, and not one word of them.

usage: unreadable_data.py BIN_DIR SOURCE_DIR
"""
import os
import subprocess
import sys
import tempfile

from kill_workers import new_key, wait_for

SECRET = "hunter2"


def main():
    bin_dir = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        here, there = os.path.join(folder, "here"), os.path.join(folder, "there")
        for place, cell in ((here, "3"), (there, SECRET)):
            os.makedirs(place)
            with open(os.path.join(place, "x.csv"), "w", encoding="ascii") as file:
                file.write(f"y,a,b\n1,2,3\n2,{cell},1\n3,1,2\n1,4,2\n")
        endpoint_file = os.path.join(folder, "endpoint")
        key = new_key(bin_dir, folder)
        driver = subprocess.Popen(
            [os.path.join(bin_dir, "lasso"), "fit", "--x", os.path.join(here, "x.csv"), "--y-name", "y", "--listen",
             "tcp://127.0.0.1:0", "--nodes", "1", "--endpoint-file", endpoint_file, "--out", os.path.join(folder, "out"), *key],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        endpoint = wait_for(endpoint_file, driver)
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
