# For the tests that drive `tenon demo` with a real kubectl. Usage: source lib.bash TENON KUBECTL
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
tenon=$1
kubectl=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
export HOME=$work   # kubectl's cache
pids=()
k() { "$kubectl" --kubeconfig "$work/kubeconfig" "$@"; }

finish() {
  local code=$?
  set +e  # what is killed here ends with a signal's status
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && kill -CONT "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done
  [ $code = 0 ] || { echo "--- the demo's last lines"; tail -n 20 "$work"/*.log; }
  rm -rf "$work"
  exit $code
}
trap finish EXIT

# start_demo ARGUMENTS…: returns once the API server answers.
start_demo() {
  mkfifo "$work/ready"
  "$tenon" demo --kubeconfig-out "$work/kubeconfig" "$@" > >(tee "$work/demo.log" >"$work/ready") 2>&1 &
  pids+=($!)
  local line
  while read -r line; do
    case $line in *"kubectl get nodes"*) break ;; esac
  done <"$work/ready"
  exec {drain}<>"$work/ready"
  cat <&"$drain" >/dev/null &
  pids+=($!)
}

fail() { echo "FAIL $*" >&2; exit 1; }

# await SECONDS WANTED COMMAND…: waits until the command prints this. kubectl itself paces the loop.
await() {
  local until=$((SECONDS + $1)) wanted=$2 seen=
  shift 2
  while [ $SECONDS -lt "$until" ]; do
    seen=$("$@" 2>&1) || true
    [ "$seen" = "$wanted" ] && { echo "ok   $wanted"; return; }
  done
  fail "wanted: $wanted; seen: $seen"
}

# What `tenon controller` needs to find the AWS of a demo without a controller.
export_environment() {
  await 30 1 grep -c '^tenon controller$' "$work/demo.log" >/dev/null
  set -a
  eval "$(sed -n 's/^export \(AWS_.*\|CLUSTER_NAME=.*\)$/\1/p' "$work/demo.log")"
  set +a
}

# Prints the nodes as "type:capacity-type", sorted, on one line.
nodes() {
  k get nodes -o 'jsonpath={range .items[*]}{.metadata.labels.node\.kubernetes\.io/instance-type}:{.metadata.labels.karpenter\.sh/capacity-type}{"\n"}{end}' |
    sort | tr '\n' ' ' | sed 's/ $//'
}
running() { k get pods --field-selector=status.phase=Running -l "$1" -o name | wc -l; }
