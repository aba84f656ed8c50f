# The components of a real cluster beside kube-apiserver and etcd: build_real_components, start_real_cluster FOLDER.
# Their versions are in tests/peers/lib.bash. Source lib.bash and control-plane.bash of tests/peers first.
# SPDX-License-Identifier: Apache-2.0

# module_folder MODULE VERSION: fetches the module; prints where its files are.
module_folder() { go mod download -json "$1@$2" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'; }

# module_program NAME PACKAGE LDFLAGS MODULE VERSION [MODULE VERSION]…: builds $bin/NAME. The first module decides the
# versions of its dependencies, therefore its replacements are kept.
module_program() {
  local name=$1 package=$2 flags=$3 upstream
  shift 3
  say "building $name $2 (some minutes)"
  mkdir -p "$peers/src/$name"
  (
    cd "$peers/src/$name"
    [ -f go.mod ] || printf 'module peers/%s\n' "$name" >go.mod
    upstream=$(module_folder "$1" "$2")/go.mod
    {
      printf 'module peers/%s\n\n' "$name"
      grep -m1 '^go ' "$upstream"
      printf 'require %s %s\n' "$@"
      sed -n '/^replace (/,/^)/p; /^replace [^(]/p' "$upstream" | grep -v '=> \.' || true
    } >go.mod.made
    mv go.mod.made go.mod
    CGO_ENABLED=0 go build -mod=mod -buildvcs=false -ldflags "-s -w $flags" -o "$bin/$name" "$package"
  )
}

build_kwok() {
  [ -x "$bin/kwok" ] || module_program kwok sigs.k8s.io/kwok/cmd/kwok "" sigs.k8s.io/kwok "$KWOK_VERSION"
  [ -f "$peers/kwok.yaml" ] && return
  local stages stage
  stages=$(module_folder sigs.k8s.io/kwok "$KWOK_VERSION")/kustomize/stage
  {
    # A file with options replaces the defaults of these, which are not 0.
    printf '%s\n' 'apiVersion: config.kwok.x-k8s.io/v1alpha1' 'kind: KwokConfiguration' options: \
      '  podPlayStageParallelism: 16' '  nodePlayStageParallelism: 8' '  nodeLeaseParallelism: 8'
    for stage in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease \
      pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do
      printf -- '---\n'
      cat "$stages/$stage.yaml"
    done
  } >"$peers/kwok.yaml.made"
  mv "$peers/kwok.yaml.made" "$peers/kwok.yaml"
}

# Karpenter with its kwok provider.
build_karpenter_kwok() {
  local core=sigs.k8s.io/karpenter
  [ -x "$bin/karpenter-kwok" ] || module_program karpenter-kwok $core/kwok \
    "-X $core/pkg/operator.Version=${KARPENTER_VERSION#v}" $core "$KARPENTER_VERSION"
}

# Karpenter with its AWS provider, and its CRDs in $peers/karpenter-crds.
build_karpenter() {
  local core=sigs.k8s.io/karpenter provider=github.com/aws/karpenter-provider-aws
  # The provider requires a commit of the core that has no version; the release of the same version replaces it.
  [ -x "$bin/karpenter" ] ||
    module_program karpenter $provider/cmd/controller "-X $core/pkg/operator.Version=${KARPENTER_VERSION#v}" \
      $provider "$KARPENTER_VERSION" $core "$KARPENTER_VERSION"
  [ -d "$peers/karpenter-crds" ] && return
  rm -rf "$peers/karpenter-crds.made"
  mkdir "$peers/karpenter-crds.made"
  local folder
  for folder in "$(module_folder $core "$KARPENTER_VERSION")" "$(module_folder $provider "$KARPENTER_VERSION")"; do
    # The provider's folder also has links to the files of the core, which a module leaves out.
    find "$folder/pkg/apis/crds" -type f -name '*.yaml' -exec cp {} "$peers/karpenter-crds.made/" \;
  done
  chmod -R u+w "$peers/karpenter-crds.made"
  mv "$peers/karpenter-crds.made" "$peers/karpenter-crds"
}

# Builds the programs that start_real_cluster starts, and kubectl.
build_kwok_components() {
  need_go
  go_program kubectl
  build_control_plane kube-controller-manager kube-scheduler
  build_kwok
}

build_real_components() {
  build_kwok_components
  build_karpenter
  python_peers
}

real_versions() {
  printf 'Karpenter %s with its AWS provider, Kubernetes %s, etcd %s, kwok %s, moto %s' \
    "${KARPENTER_VERSION#v}" "$CONTROL_PLANE_VERSION" "${ETCD_VERSION#v}" "${KWOK_VERSION#v}" "$MOTO_VERSION"
}

# start_real_cluster FOLDER [FLAG OF KUBE-APISERVER]…: the control plane with its controllers, and kwok for the Nodes
# that have its annotation. Watches last for a day, so that an observer sees each change.
start_real_cluster() {
  local folder=$1
  shift
  start_control_plane "$folder" --min-request-timeout 86400 "$@"
  local config=(--kubeconfig "$folder/kubeconfig" --leader-elect=false --kube-api-qps 200 --kube-api-burst 400
    --authentication-kubeconfig "$folder/kubeconfig" --authorization-kubeconfig "$folder/kubeconfig"
    --bind-address 127.0.0.1)
  serve kube-controller-manager "$kubernetes/kube-controller-manager" "${config[@]}" --secure-port "$(free_port)" \
    --service-account-private-key-file "$folder/sa.key" --root-ca-file "$folder/ca.crt"
  serve kube-scheduler "$kubernetes/kube-scheduler" "${config[@]}" --secure-port "$(free_port)"
  serve kwok "$bin/kwok" --config "$peers/kwok.yaml" --kubeconfig "$folder/kubeconfig" \
    --manage-nodes-with-annotation-selector kwok.x-k8s.io/node=fake --node-ip 127.0.0.1 \
    --node-lease-duration-seconds 40 --server-address "127.0.0.1:$(free_port)"
}
