"""strads-launch --local: the nodes are processes of this machine. What ssh does for a host, a shell does here."""
import os
import subprocess

from strads_launch.ends import USAGE, Failure
from strads_launch.hosts import HOSTS_MAX, Host

NAME = "local"
# Of a signal for the whole group the shell waits for its stradsd, and tells how that ended.
STAYS = "trap : TERM; "


def hosts_here(text):
    """This machine, with so many slots."""
    if not (text.isdecimal() and text.isascii() and len(text) <= 4 and 1 <= int(text) <= HOSTS_MAX):
        raise Failure(USAGE, f"--local {text}: expected how many nodes to start here, 1 to {HOSTS_MAX}")
    return [Host(NAME, int(text))]


class Local:
    """In the place of Ssh. A node and its shell are a group of processes, so that a signal reaches both."""

    name = "a shell"

    def start(self, _, remote_words, **streams):
        words = ["/bin/sh", "-c", remote_words] if isinstance(remote_words, str) else list(remote_words)
        if words[:2] == ["/bin/sh", "-c"]:
            words[2] = STAYS + words[2]
        return subprocess.Popen(words, start_new_session=True, **streams)

    def end(self, process, number):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass  # it has ended meanwhile

    def trial(self, _):
        return "/bin/sh -c true"

    def configuration(self, _):
        return {}

    def real_address(self, _):
        return "127.0.0.1"

    def gateways(self, host):
        """Nobody logs in; CONNECTING_MAX holds."""
        return {("node", host)}
