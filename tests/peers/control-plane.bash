# A real etcd and kube-apiserver from their Go modules: build_control_plane, then start_control_plane FOLDER, which leaves
# FOLDER/kubeconfig (contexts peer, by-certificate, and visitor, who may do nothing), FOLDER/api.pid (of a server that is
# started again when it ends) and FOLDER/etcd.url. No controllers run, so pods need no service account. Source lib.bash
# first.
# SPDX-License-Identifier: Apache-2.0

# build_control_plane [PROGRAM]…: also builds these programs of the same release, e.g. kube-scheduler.
build_control_plane() {
  need_go
  if [ ! -x "$bin/etcd" ]; then
    say "building etcd $ETCD_VERSION"
    mkdir -p "$peers/src/etcd"
    (cd "$peers/src/etcd" && printf 'module peers/etcd\n\ngo 1.24\n\nrequire go.etcd.io/etcd/server/v3 %s\n' "$ETCD_VERSION" >go.mod &&
      CGO_ENABLED=0 go build -mod=mod -buildvcs=false -ldflags '-s -w' -o "$bin/etcd" go.etcd.io/etcd/server/v3)
  fi
  local program
  for program in kube-apiserver "$@"; do
    [ -x "$kubernetes/$program" ] || build_kubernetes "$program"
  done
}

# build_kubernetes PROGRAM
build_kubernetes() {
  say "building $1 $CONTROL_PLANE_VERSION (some minutes)"
  mkdir -p "$kubernetes/src"
  (
    cd "$kubernetes/src"
    printf 'module peers/kubernetes\n' >go.mod
    upstream=$(go mod download -json "k8s.io/kubernetes@v$CONTROL_PLANE_VERSION" | sed -n 's/^\t"GoMod": "\(.*\)",*$/\1/p')
    {
      printf 'module peers/kubernetes\n\n'
      sed -n '/^go /p; /^godebug /p' "$upstream"
      printf 'require k8s.io/kubernetes v%s\n' "$CONTROL_PLANE_VERSION"
      # Its own go.mod points these at folders that the module does not contain; they are published as modules too.
      sed -n 's/^\t\(k8s\.io\/[a-z-]*\) v0\.0\.0$/\1/p' "$upstream" | sort -u |
        sed "s|.*|replace & => & v0.${CONTROL_PLANE_VERSION#1.}|"
    } >go.mod
    CGO_ENABLED=0 go build -mod=mod -buildvcs=false -ldflags "-s -w $(version_flags "$CONTROL_PLANE_VERSION")" -o "$kubernetes/$1" "k8s.io/kubernetes/cmd/$1"
  )
}

# supervise NAME PIDFILE COMMAND…: restarts the command whenever it ends, until this process is killed.
supervise() {
  local name=$1 pidfile=$2
  shift 2
  trap 'kill -9 "$(cat "$pidfile")" 2>/dev/null; exit' TERM
  while true; do
    "$@" >>"$peers/log/$name.log" 2>&1 &
    echo $! >"$pidfile"
    wait $! || true
  done
}

make_keys() (
  cd "$1"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 30 -subj /CN=peer-ca
  openssl genrsa -out sa.key 2048
  openssl rsa -in sa.key -pubout -out sa.pub
  openssl req -newkey rsa:2048 -nodes -keyout api.key -out api.csr -subj /CN=kube-apiserver
  printf 'subjectAltName=IP:127.0.0.1\n' >api.ext
  openssl x509 -req -in api.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out api.crt -extfile api.ext
  openssl req -newkey rsa:2048 -nodes -keyout client.key -out client.csr -subj /O=system:masters/CN=certified
  openssl x509 -req -in client.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out client.crt
  openssl rand -hex 16 >token
  openssl rand -hex 16 >visitor-token
  printf '%s,admin,admin,"system:masters"\n%s,visitor,visitor\n' "$(cat token)" "$(cat visitor-token)" >tokens.csv
) >/dev/null 2>&1

api_ready() {
  curl -fsS --retry 120 --retry-delay 1 --retry-all-errors --cacert "$1/ca.crt" -H "Authorization: Bearer $(cat "$1/token")" \
    "$(cat "$1/api.url")/readyz" >/dev/null 2>&1 ||
    { say "kube-apiserver did not become ready"; tail -n 20 "$peers/log/kube-apiserver.log" >&2; return 1; }
}

# start_control_plane FOLDER [FLAG OF KUBE-APISERVER]…; API_SERVER_GODEBUG is its GODEBUG.
start_control_plane() {
  local folder=$1 etcd_port etcd_peer_port api_port
  shift
  etcd_port=$(free_port) etcd_peer_port=$(free_port) api_port=$(free_port)
  rm -rf "$folder"
  mkdir -p "$folder"
  make_keys "$folder"
  printf 'http://127.0.0.1:%s' "$etcd_port" >"$folder/etcd.url"
  printf 'https://127.0.0.1:%s' "$api_port" >"$folder/api.url"
  serve etcd "$bin/etcd" --data-dir "$folder/etcd" --unsafe-no-fsync --log-level=warn \
    --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
    --listen-peer-urls "http://127.0.0.1:$etcd_peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$etcd_peer_port" \
    --initial-cluster "default=http://127.0.0.1:$etcd_peer_port"
  : >"$peers/log/kube-apiserver.log"
  supervise kube-apiserver "$folder/api.pid" env "GODEBUG=${API_SERVER_GODEBUG:-}" "$kubernetes/kube-apiserver" \
    --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 --secure-port "$api_port" \
    --advertise-address 127.0.0.1 --endpoint-reconciler-type none \
    --tls-cert-file "$folder/api.crt" --tls-private-key-file "$folder/api.key" --client-ca-file "$folder/ca.crt" \
    --token-auth-file "$folder/tokens.csv" --authorization-mode Node,RBAC --service-cluster-ip-range 10.96.0.0/16 \
    --service-account-issuer "https://127.0.0.1:$api_port" --service-account-key-file "$folder/sa.pub" \
    --service-account-signing-key-file "$folder/sa.key" --disable-admission-plugins ServiceAccount --profiling=false "$@" &
  servers+=($!)
  cat >"$folder/kubeconfig" <<K
apiVersion: v1
kind: Config
current-context: peer
clusters: [{name: peer, cluster: {server: "https://127.0.0.1:$api_port", certificate-authority-data: $(base64 -w0 <"$folder/ca.crt")}}]
users:
- {name: peer, user: {token: $(cat "$folder/token")}}
- {name: visitor, user: {token: $(cat "$folder/visitor-token")}}
- {name: by-certificate, user: {client-certificate: client.crt, client-key: client.key}}
contexts:
- {name: peer, context: {cluster: peer, user: peer}}
- {name: visitor, context: {cluster: peer, user: visitor}}
- {name: by-certificate, context: {cluster: peer, user: by-certificate}}
K
  api_ready "$folder"
}

# Installs the objects of a release, and those that the minicluster has from its start.
install_crds() {
  "$bin/kubectl" --kubeconfig "$1/kubeconfig" create -f "$root/deploy/crds" >/dev/null
  "$bin/kubectl" --kubeconfig "$1/kubeconfig" wait --for=condition=Established crd --all --timeout=60s >/dev/null
}
