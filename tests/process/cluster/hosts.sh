#!/usr/bin/env bash
# Hosts on one machine: each has network, host name, processes and mounts of its own, and an sshd. Needs root,
# openssh-server, iproute2. Usage: D=DIR [N=3] hosts.sh COMMAND, with DIR a folder that only this set of hosts uses.
#   up          hosts 1..N (node1.., 10.77.0.1..) and the network of a user's machine, 10.77.0.100
#   user CMD    runs CMD in the user's network; ssh -F DIR/ssh_config nodeI works there
#   on I CMD    runs CMD on host I, over ssh from the user's network
#   inside I CMD  the same without ssh: also when the cable is cut
#   cut I       pulls the cable; heal I plugs it in
#   crash I     a power cut: nobody is told, every process of that host ends
#   down        ends all of it
# Names begin with strads-test-PID, PID being OWNER, else the process that called `up`: parallel sets do not meet, and
# `up` removes what is left of sets whose process has gone.
set -euo pipefail
N=${N:-3}
: "${D:?a folder for keys, configuration and state}"
readonly user_address=10.77.0.100
if [[ -e $D/prefix ]]; then prefix=$(<"$D/prefix"); else prefix=strads-test-${OWNER:-$PPID}; fi

write_configuration() {
  local i
  install -d -m 700 "$D"
  echo "$prefix" >"$D/prefix"
  echo "$N" >"$D/count"
  ssh-keygen -q -t ed25519 -N '' -f "$D/host_key"
  ssh-keygen -q -t ed25519 -N '' -f "$D/id"
  cp "$D/id.pub" "$D/authorized_keys"
  {
    echo 127.0.0.1 localhost
    for ((i = 1; i <= N; i++)); do echo "10.77.0.$i node$i"; done
  } >"$D/hosts"
  # The configuration knows the addresses, as the user's machine need not know the names.
  for ((i = 1; i <= N; i++)); do
    echo "node$i,10.77.0.$i $(cut -d' ' -f1,2 "$D/host_key.pub")" >>"$D/known_hosts"
    printf 'Host node%s\n  HostName 10.77.0.%s\n' "$i" "$i" >>"$D/ssh_config"
  done
  printf '%s\n' "Host *" "  User root" "  IdentityFile $D/id" "  IdentitiesOnly yes" \
    "  UserKnownHostsFile $D/known_hosts" "  StrictHostKeyChecking yes" "  ConnectTimeout 5" \
    "  ServerAliveInterval 5" "  ServerAliveCountMax 3" >>"$D/ssh_config"
  printf '%s\n' "Port 22" "HostKey $D/host_key" "PidFile none" "AuthorizedKeysFile $D/authorized_keys" \
    "StrictModes no" "UsePAM no" "PasswordAuthentication no" "KbdInteractiveAuthentication no" \
    "PermitRootLogin prohibit-password" "MaxStartups 100:30:200" "ClientAliveInterval 5" "ClientAliveCountMax 2" \
    >"$D/sshd_config"
}

# add_network NAME ADDRESS PORT: a network of its own, with a cable to the hub.
add_network() {
  ip netns add "$prefix-$1"
  ip -n "$prefix-hub" link add "$3" type veth peer name eth0 netns "$prefix-$1"
  ip -n "$prefix-hub" link set "$3" master br0 up
  ip -n "$prefix-$1" addr add "$2/24" dev eth0
  ip -n "$prefix-$1" link set eth0 up
  ip -n "$prefix-$1" link set lo up
}

# Of the user's start-up file, which bash reads at every login (one took a second of processor time), a host sees nothing.
start_host() {
  nsenter --net="/run/netns/$prefix-$1" unshare --uts --pid --mount --fork --mount-proc --kill-child sh -c \
    "hostname node$1; mount --bind '$D/hosts' /etc/hosts
    [ ! -e ~root/.bashrc ] || mount --bind /dev/null ~root/.bashrc
    exec /usr/sbin/sshd -D -f '$D/sshd_config' -E '$D/sshd$1.log'" \
    </dev/null >/dev/null 2>&1 &
  echo $! >"$D/host$1.pid"
}

wait_for_host() {
  for _ in {1..100}; do
    on "$1" true 2>/dev/null && return
    sleep 0.05
  done
  echo "hosts.sh: host $1 does not answer; see $D/sshd$1.log" >&2
  return 1
}

remove_stale() {
  local name pid
  for name in $(ip netns list | awk '/^strads-test-/ { print $1 }'); do
    pid=${name#strads-test-}
    pid=${pid%%-*}
    [[ -d /proc/$pid ]] || remove_network "$name"
  done
}

remove_network() {
  local pid
  for pid in $(ip netns pids "$1" 2>/dev/null); do kill -9 "$pid" 2>/dev/null || true; done
  ip netns del "$1" 2>/dev/null || true
}

up() {
  local i
  mkdir -p /run/netns
  remove_stale
  write_configuration
  install -d -m 755 /run/sshd
  ip netns add "$prefix-hub"
  ip -n "$prefix-hub" link add br0 type bridge
  ip -n "$prefix-hub" link set br0 up
  add_network user "$user_address" p100
  for ((i = 1; i <= N; i++)); do add_network "$i" "10.77.0.$i" "p$i"; done
  for ((i = 1; i <= N; i++)); do start_host "$i"; done
  local waiting=()
  for ((i = 1; i <= N; i++)); do
    wait_for_host "$i" &
    waiting+=($!)
  done
  for i in "${waiting[@]}"; do wait "$i"; done
}

user() { nsenter --net="/run/netns/$prefix-user" "$@"; }
on() {
  local i=$1
  shift
  user ssh -F "$D/ssh_config" -o BatchMode=yes "node$i" "$@"
}
inside() {
  local pid children
  pid=$(<"$D/host$1.pid")
  read -r -a children <"/proc/$pid/task/$pid/children" || true # the list has no end of line
  shift
  nsenter --net --uts --pid --mount --target "${children[0]}" "$@"
}
cut_() { ip -n "$prefix-hub" link set "p$1" down; }
heal() { ip -n "$prefix-hub" link set "p$1" up; }
crash() {
  cut_ "$1" # first: a host without power closes no connection
  kill -9 "$(<"$D/host$1.pid")"
}
down() {
  local i name
  [[ -e $D/prefix ]] || return 0
  for i in $(seq "$(<"$D/count")"); do kill -9 "$(<"$D/host$i.pid")" 2>/dev/null || true; done
  for name in $(ip netns list | awk -v p="$prefix-" 'index($1, p) == 1 { print $1 }'); do remove_network "$name"; done
}

command=$1
shift
case $command in
  up | user | on | inside | heal | crash | down) "$command" "$@" ;;
  cut) cut_ "$@" ;;
  *)
    echo "hosts.sh: no command '$command'" >&2
    exit 2
    ;;
esac
