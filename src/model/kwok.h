// Names of Karpenter's kwok provider: its node classes, and the labels and the annotation of its Nodes, which the
// program kwok keeps Ready. The key of a class in caches (generations.h) is "kwoknodeclass/" and its name, so that the
// key shows the kind. parity: karpenter kwok/apis/v1alpha1/labels.go, kwok/cloudprovider/const.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::model {

inline constexpr std::string_view kKwokGroup = "karpenter.kwok.sh", kKwokClassKind = "KWOKNodeClass",
                                  kKwokClassPrefix = "kwoknodeclass/";
// The label of NodeClaims and Nodes that names their class.
inline constexpr std::string_view kLabelKwokClass = "karpenter.kwok.sh/kwoknodeclass";
// Labels of the instance types. All four are well known: pods and NodePools may require them.
inline constexpr std::string_view kLabelKwokCpu = "karpenter.kwok.sh/instance-cpu",
                                  kLabelKwokFamily = "karpenter.kwok.sh/instance-family",
                                  kLabelKwokMemory = "karpenter.kwok.sh/instance-memory",
                                  kLabelKwokSize = "karpenter.kwok.sh/instance-size";
// The label and the annotation of a Node that kwok manages.
inline constexpr std::string_view kKwokNode = "kwok.x-k8s.io/node", kKwokFake = "fake";
inline constexpr std::string_view kKwokProviderPrefix = "kwok://";  // of a provider id, before the name of the Node

inline bool is_kwok_class(std::string_view node_class) { return node_class.starts_with(kKwokClassPrefix); }

}  // namespace tenon::model
