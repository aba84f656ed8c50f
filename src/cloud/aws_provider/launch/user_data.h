// The user data that makes an instance join the cluster. Pure. parity: provider-aws pkg/providers/amifamily/bootstrap
// user_data_bottlerocket.cc merges the settings of Bottlerocket.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cloud/aws_provider/resources/ami_family.h"
#include "model/meta.h"
#include "model/node_class.h"
#include "model/taint.h"

namespace tenon::cloud {

struct Bootstrap {
  AmiFamily family = AmiFamily::kAl2023;
  std::string cluster_name, cluster_endpoint;
  std::string ca_base64;     // of the CA's PEM
  std::string service_cidr;  // AL2023 only
  std::string dns_ip;        // the discovered cluster DNS; empty: none
  std::string user_data;     // spec.userData
  bool raid0 = false;
  bool mounts_storage_itself = false;  // Bottlerocket before 1.46: the command lists the paths to bind
  int64_t max_pods = 0;
  model::KubeletConfig kubelet;  // as in the node class; max_pods above holds the resolved number
  model::StringMap labels;
  std::vector<model::Taint> taints;
};

// Returns plain text, not base64. Errors: kInvalid: spec.userData does not parse (MIME, TOML, the YAML of a
// NodeConfig).
Result<std::string> render_user_data(const Bootstrap& bootstrap);

// Returns the kubelet arguments on AL2 and Windows: "--node-labels=…" and so on, in Karpenter's order, maps sorted.
std::string kubelet_flags(const Bootstrap& bootstrap);

// The renderers of single families; render_user_data() dispatches.
Result<std::string> render_al2(const Bootstrap& bootstrap);
Result<std::string> render_al2023(const Bootstrap& bootstrap);
Result<std::string> render_bottlerocket(const Bootstrap& bootstrap);
std::string render_windows(const Bootstrap& bootstrap);

// A part of a multipart MIME document.
struct MimePart {
  std::string headers;  // as lines, each ending in '\n'
  std::string body;
};
bool is_mime(std::string_view text);
// Errors: kInvalid: not multipart, no boundary, or no closing boundary.
Result<std::vector<MimePart>> parse_mime(std::string_view text);
std::string render_mime(const std::vector<MimePart>& parts);

}  // namespace tenon::cloud
