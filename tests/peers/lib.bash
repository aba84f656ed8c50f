# Shared by the peer tests: a folder of their own, a Go that is new enough, servers that end with the test.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
peers=$root/build/peers
bin=$peers/bin
mkdir -p "$bin" "$peers/log"
export PYTHONDONTWRITEBYTECODE=1

readonly KUBERNETES_VERSION=1.34.1
readonly CONTROL_PLANE_VERSION=${CONTROL_PLANE_VERSION:-$KUBERNETES_VERSION}   # of kube-apiserver and its controllers
readonly kubernetes=$peers/kubernetes-$CONTROL_PLANE_VERSION
readonly ETCD_VERSION=v3.5.21
readonly HELM_VERSION=v3.19.2
readonly KWOK_VERSION=v0.8.0
readonly KARPENTER_VERSION=v1.14.1   # of the core and of the AWS provider
readonly MOTO_VERSION=5.2.5
readonly BOTO_VERSION=1.44.5
readonly CFN_LINT_VERSION=1.58.0
readonly AWSCLI_VERSION=1.46.3
readonly SPDX_TOOLS_VERSION=0.8.5
readonly GO_VERSION=go1.24.4   # fetched as a module where Debian's Go is all there is

say() { printf '%s\n' "$*" >&2; }

go_is_new_enough() { command -v go >/dev/null && grep -qE 'go1\.(2[4-9]|[3-9][0-9])' <<<"$(go version)"; }

# Debian's Go (1.19) is too old for the peers; it can fetch a newer one as a module.
need_go() {
  go_is_new_enough && return
  PATH=/usr/local/go/bin:$PATH
  go_is_new_enough && return
  command -v go >/dev/null || { say "no Go here: tools/install.sh peers installs one"; exit 1; }
  say "fetching $GO_VERSION"
  local module=golang.org/toolchain@v0.0.1-$GO_VERSION.linux-amd64 folder
  [ -f "$peers/go.mod" ] || printf 'module peers\n' >"$peers/go.mod"
  (cd "$peers" && go mod download "$module") ||
    { say "the peers need Go 1.24 or newer: install it in /usr/local/go, or let Debian's go reach a module proxy"; exit 1; }
  folder=$(go env GOMODCACHE)/$module
  chmod -R u+x "$folder/bin" "$folder/pkg/tool"   # a module's files are not executable
  PATH=$folder/bin:$PATH
  go_is_new_enough || { say "$folder/bin/go does not run here"; exit 1; }
}

# go_program NAME: builds tests/peers/NAME unless it exists.
go_program() {
  [ -x "$bin/$1" ] && [ -z "$(find "$root/tests/peers/$1" -newer "$bin/$1")" ] && return
  need_go
  say "building $1"
  (cd "$root/tests/peers/$1" && CGO_ENABLED=0 go build -buildvcs=false -ldflags "-s -w $(version_flags "$KUBERNETES_VERSION")" -o "$bin/$1" .)
}

# build_helm: helm from its Go module. The version of Kubernetes is what `helm template` renders for.
build_helm() {
  [ -x "$bin/helm" ] && return
  need_go
  say "building helm $HELM_VERSION"
  mkdir -p "$peers/src/helm"
  (cd "$peers/src/helm" && printf 'module peers/helm\n\ngo 1.24\n\nrequire helm.sh/helm/v3 %s\n' "$HELM_VERSION" >go.mod &&
    CGO_ENABLED=0 go build -mod=mod -buildvcs=false -o "$bin/helm" -ldflags "-s -w \
      -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 \
      -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$(cut -d. -f2 <<<"$KUBERNETES_VERSION")" helm.sh/helm/v3/cmd/helm)
}

# version_flags VERSION: the version information of a release of Kubernetes.
version_flags() {
  local package
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf -- '-X %s.gitVersion=v%s -X %s.gitMajor=1 -X %s.gitMinor=%s -X %s.gitTreeState=clean ' "$package" "$1" \
      "$package" "$package" "$(cut -d. -f2 <<<"$1")" "$package"
  done
}

# moto (AWS by other people) and boto3, in a Python environment of their own.
python_peers() {
  [ -x "$peers/venv/bin/moto_server" ] && return
  say "installing moto and boto3"
  python3 -m venv "$peers/venv"
  "$peers/venv/bin/pip" install -q "moto[server]==$MOTO_VERSION" "boto3==$BOTO_VERSION" pyyaml
}

# Prometheus and promtool of Debian. The package is unpacked, not installed: an installed one starts a server.
prometheus_of_debian() {
  [ -x "$bin/promtool" ] && return
  say "fetching prometheus"
  local folder; folder=$(mktemp -d)
  (cd "$folder" && apt-get -qq download prometheus && dpkg -x prometheus_*.deb .)
  cp "$folder/usr/bin/prometheus" "$folder/usr/bin/promtool" "$bin/"
  rm -rf "$folder"
}

# AWS's checker of CloudFormation templates, apart from moto, which pins parts of it.
cfn_lint() {
  [ -x "$peers/venv-cfn-lint/bin/cfn-lint" ] && return
  say "installing cfn-lint"
  python3 -m venv "$peers/venv-cfn-lint"
  "$peers/venv-cfn-lint/bin/pip" install -q "cfn-lint==$CFN_LINT_VERSION"
}

# AWS's own command line client.
aws_cli() {
  [ -x "$peers/venv-awscli/bin/aws" ] && return
  say "installing the AWS CLI"
  python3 -m venv "$peers/venv-awscli"
  "$peers/venv-awscli/bin/pip" install -q "awscli==$AWSCLI_VERSION"
}

# SPDX's own validator of SBOMs.
spdx_tools() {
  [ -x "$peers/venv-spdx/bin/pyspdxtools" ] && return
  say "installing spdx-tools"
  python3 -m venv "$peers/venv-spdx"
  "$peers/venv-spdx/bin/pip" install -q "spdx-tools==$SPDX_TOOLS_VERSION"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

servers=()
folders=()   # removed with this script's end
# serve NAME COMMAND…: runs it in the background, with its output in a log, until this script ends.
serve() {
  local name=$1
  shift
  "$@" >"$peers/log/$name.log" 2>&1 &
  servers+=($!)
}
stop_servers() {
  local i
  for ((i = ${#servers[@]} - 1; i >= 0; i--)); do
    kill "${servers[i]}" 2>/dev/null || true
    kill -CONT "${servers[i]}" 2>/dev/null || true   # a stopped one would never end
    wait "${servers[i]}" 2>/dev/null || true
  done
  servers=()
}

# start_moto NAME: starts moto on a port of its own; exports only its address for clients.
start_moto() {
  local port
  port=$(free_port)
  unset "${!AWS_@}"
  export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
  serve "$1" "$peers/venv/bin/moto_server" -H 127.0.0.1 -p "$port"
  curl -fsS --retry 60 --retry-delay 1 --retry-all-errors "$AWS_ENDPOINT_URL/moto-api/data.json" \
    >/dev/null 2>"$peers/log/$1-wait.log" || { tail -n 20 "$peers/log/$1.log" >&2; exit 1; }
}

# start_fake_aws TENON: starts the embedded AWS on a port of its own; exports its address for clients.
start_fake_aws() {
  local pipe word assignment
  pipe=$(mktemp -d)
  folders+=("$pipe")
  mkfifo "$pipe/ready"
  "$1" fake-aws >"$pipe/ready" 2>"$peers/log/fake-aws.log" &
  servers+=($!)
  while read -r word assignment; do
    [ "$word" = export ] && export "${assignment?}"
    case $assignment in AWS_REGION=*) break ;; esac
  done <"$pipe/ready"
  export AWS_DEFAULT_REGION=$AWS_REGION AWS_EC2_METADATA_DISABLED=true
}

finish() {
  local code=$?
  stop_servers
  for folder in "${folders[@]}"; do rm -rf "$folder"; done
  exit $code
}
trap finish EXIT
