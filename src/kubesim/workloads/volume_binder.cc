// Binds PersistentVolumeClaims to volumes: at once, or, for WaitForFirstConsumer, when the scheduler has selected a
// node, in that node's zone. A volume is deleted with its claim if its reclaim policy is Delete.
// parity: k8s.io/kubernetes pkg/controller/volume/persistentvolume, and the volumes of the EBS CSI provisioner.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "json/json.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

class VolumeBinder : public Controller {
 public:
  using Controller::Controller;

  void observe(const Resource& resource, const Object& before, const Object& after) override {
    if (resource == kClaims) mark(key_of(after != nullptr ? *after : *before));
    // A new class or volume may be the one that a claim waits for.
    if ((resource == kStorageClasses || resource == kVolumes) && after != nullptr && before == nullptr)
      for (const auto& [key, claim] : cluster_.view.all(kClaims))
        if (json::string_at(*claim, {"status", "phase"}) != "Bound") mark(key);
    if (resource == kClaims && after == nullptr) release(*before);
  }

 private:
  Status sync(const ObjectKey& key) override {
    const Object claim = cluster_.view.get(kClaims, key);
    if (claim == nullptr || is_deleting(*claim) || json::string_at(*claim, {"status", "phase"}) == "Bound") return ok();
    if (const auto name = json::string_at(*claim, {"spec", "volumeName"}); !name.empty()) {
      const Object volume = cluster_.view.get(kVolumes, {"", std::string(name)});
      return volume == nullptr ? ok() : bind(claim, volume);
    }
    const Object storage =
        cluster_.view.get(kStorageClasses, {"", std::string(json::string_at(*claim, {"spec", "storageClassName"}))});
    if (storage == nullptr || json::string_at(*storage, {"provisioner"}) == kNoProvisioner) return ok();
    const std::string_view node_name = annotation(*claim, kSelectedNode);
    const bool waits = json::string_at(*storage, {"volumeBindingMode"}) == "WaitForFirstConsumer";
    if (waits && node_name.empty()) {
      TRY(pending(claim));
      return ok();
    }
    const Object node = cluster_.view.get(kNodes, {"", std::string(node_name)});
    if (waits && node == nullptr) return unselect(claim);
    return bind(claim, TRY(provision(*claim, *storage, zone_for(*storage, node))));
  }

  Status pending(const Object& claim) {
    if (!json::string_at(*claim, {"status", "phase"}).empty()) return ok();
    return write_status(cluster_, kClaims, claim, [](json::value& target) { status_of(target)["phase"] = "Pending"; });
  }

  // The selected node was deleted before the volume was created: the scheduler selects again.
  Status unselect(const Object& claim) {
    const auto written = write(cluster_.api, {kClaims}, claim, [](json::value& target) {
      json::erase(target, {"metadata", "annotations", kSelectedNode});
      return true;
    });
    return written || written.error().code == Code::kNotFound ? ok() : fail(written.error());
  }

  std::string zone_for(const json::value& storage, const Object& node) const {
    if (node != nullptr) return std::string(json::string_at(*node, {"metadata", "labels", kZone}));
    for (const json::value& term : json::array_at(storage, {"allowedTopologies"}))
      for (const json::value& rule : json::array_at(term, {"matchLabelExpressions"}))
        if (json::string_at(rule, {"key"}) == kZone && !json::array_at(rule, {"values"}).empty())
          return std::string(json::array_at(rule, {"values"})[0].as_string());
    return cluster_.options.default_zone;
  }

  Result<Object> provision(const json::value& claim, const json::value& storage, const std::string& zone) {
    const std::string name = fmt::format("pvc-{}", uid_of(claim));
    if (const Object had = cluster_.view.get(kVolumes, {"", name})) return had;
    std::string handle = fmt::format("vol-0{}", std::string(uid_of(claim)));
    std::erase(handle, '-');
    handle = "vol-" + handle.substr(3, 17);
    json::object spec{{"capacity", json::object_at(claim, {"spec", "resources", "requests"})},
                      {"accessModes", json::array_at(claim, {"spec", "accessModes"})},
                      {"claimRef", json::object{{"apiVersion", "v1"},
                                                {"kind", "PersistentVolumeClaim"},
                                                {"namespace", namespace_of(claim)},
                                                {"name", name_of(claim)},
                                                {"uid", uid_of(claim)}}},
                      {"csi", json::object{{"driver", json::string_at(storage, {"provisioner"})},
                                           {"volumeHandle", handle},
                                           {"fsType", "ext4"}}},
                      {"persistentVolumeReclaimPolicy", json::string_at(storage, {"reclaimPolicy"}, "Delete")},
                      {"storageClassName", name_of(storage)},
                      {"volumeMode", json::string_at(claim, {"spec", "volumeMode"}, "Filesystem")}};
    if (!zone.empty())
      spec["nodeAffinity"] = json::object{
          {"required",
           json::object{
               {"nodeSelectorTerms",
                json::array{json::object{
                    {"matchExpressions",
                     json::array{json::object{
                         {"key", kZone}, {"operator", "In"}, {"values", json::array{json::value(zone)}}}}}}}}}}};
    json::value volume = json::object{
        {"apiVersion", "v1"},
        {"kind", "PersistentVolume"},
        {"metadata", json::object{{"name", name},
                                  {"annotations", json::object{{"pv.kubernetes.io/provisioned-by",
                                                                json::string_at(storage, {"provisioner"})}}}}},
        {"spec", std::move(spec)}};
    auto created = cluster_.api.create(kVolumes, "", std::move(volume));
    if (created)
      cluster_.api.record_event(claim, "Normal", "ProvisioningSucceeded", "Successfully provisioned volume " + name,
                                json::string_at(storage, {"provisioner"}));
    return created;
  }

  Status bind(const Object& claim, const Object& volume) {
    const std::string name(name_of(*volume));
    auto written = write(cluster_.api, {kClaims}, claim, [&](json::value& target) {
      json::ensure(target, {"spec", "volumeName"}) = name;
      json::ensure(target, {"metadata", "annotations", "pv.kubernetes.io/bind-completed"}) = "yes";
      json::ensure(target, {"metadata", "annotations", "pv.kubernetes.io/bound-by-controller"}) = "yes";
      return true;
    });
    if (!written) return written.error().code == Code::kNotFound ? ok() : fail(written.error());
    TRY(write_status(cluster_, kVolumes, volume, [](json::value& target) { status_of(target)["phase"] = "Bound"; }));
    return write_status(cluster_, kClaims, *written, [&](json::value& target) {
      json::object& status = status_of(target);
      status["phase"] = "Bound";
      status["accessModes"] = json::array_at(*volume, {"spec", "accessModes"});
      status["capacity"] = json::object_at(*volume, {"spec", "capacity"});
    });
  }

  // Deletes or releases the volume of a deleted claim.
  void release(const json::value& claim) {
    const std::string name(json::string_at(claim, {"spec", "volumeName"}));
    const Object volume = cluster_.view.get(kVolumes, {"", name});
    if (volume == nullptr || json::string_at(*volume, {"spec", "claimRef", "uid"}) != uid_of(claim)) return;
    if (json::string_at(*volume, {"spec", "persistentVolumeReclaimPolicy"}) == "Delete")
      (void)cluster_.api.remove(kVolumes, "", name);  // without effect if already deleted
    else
      (void)write_status(cluster_, kVolumes, volume,
                         [](json::value& target) { status_of(target)["phase"] = "Released"; });
  }
};

}  // namespace

std::unique_ptr<Controller> make_volume_binder(Cluster& cluster) { return std::make_unique<VolumeBinder>(cluster); }

}  // namespace tenon::kubesim
