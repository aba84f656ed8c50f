// The EKS images: two releases of every family for the Kubernetes versions around the cluster's, Ubuntu 20.04 for those
// that Canonical published it for, and the SSM parameters that name them. parity: provider-aws pkg/providers/amifamily
// (the parameter names)
// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "awssim/account/world.h"
#include "base/check.h"
#include "base/text.h"

namespace tenon::awssim {
namespace {

constexpr int kMinorsBelow = 4, kMinorsAbove = 1;  // Kubernetes versions with images, relative to the cluster's
constexpr int kLastMinorOfAl2 = 32;
constexpr Duration kDeprecatedAfter = 2 * 365 * 24h;
constexpr int kFirstMinorOfUbuntu = 21, kLastMinorOfUbuntu = 29;
constexpr const char* kCanonicalAccount = "099720109477";
constexpr std::string_view kEksRoot = "/aws/service/eks/optimized-ami/";

struct Release {
  const char* version;  // of the Amazon Linux images
  const char* bottlerocket;
  const char* windows;
  const char* created;
  bool latest;
};
constexpr Release kReleases[] = {{"v20260715", "1.49.0", "2026.07.14", "2026-07-15T18:02:11Z", false},
                                 {"v20260818", "1.50.0", "2026.08.11", "2026-08-18T17:40:53Z", true}};

class ImageBuilder {
 public:
  ImageBuilder(World& world, std::string minor) : world_(world), minor_(std::move(minor)) {}

  void add_al2023(const Release& release) {
    struct Variant {
      const char* architecture;
      const char* variant;
    };
    constexpr Variant kVariants[] = {
        {"x86_64", "standard"}, {"x86_64", "nvidia"}, {"x86_64", "neuron"}, {"arm64", "standard"}, {"arm64", "nvidia"}};
    for (const Variant& v : kVariants) {
      std::string kind = std::string(v.architecture) + "-" + v.variant;
      std::string name = "amazon-eks-node-al2023-" + kind + "-" + minor_ + "-" + release.version;
      const Image& image =
          add(release, name, v.architecture, "EKS-optimized Kubernetes node based on Amazon Linux 2023");
      std::string folder =
          std::string(kEksRoot) + minor_ + "/amazon-linux-2023/" + v.architecture + "/" + v.variant + "/";
      publish(release, folder + "recommended/image_id", folder + name + "/image_id", image);
    }
  }

  void add_al2(const Release& release) {
    struct Variant {
      const char* architecture;
      const char* folder;
      const char* name;
    };
    constexpr Variant kVariants[] = {{"x86_64", "amazon-linux-2", "amazon-eks-node"},
                                     {"arm64", "amazon-linux-2-arm64", "amazon-eks-arm64-node"},
                                     {"x86_64", "amazon-linux-2-gpu", "amazon-eks-gpu-node"}};
    for (const Variant& v : kVariants) {
      std::string name = std::string(v.name) + "-" + minor_ + "-" + release.version;
      const Image& image = add(release, name, v.architecture, "EKS-optimized Kubernetes node based on Amazon Linux 2");
      std::string folder = std::string(kEksRoot) + minor_ + "/" + v.folder + "/";
      publish(release, folder + "recommended/image_id", folder + name + "/image_id", image);
    }
  }

  void add_bottlerocket(const Release& release) {
    for (const char* variant : {"", "-nvidia"}) {
      for (const char* architecture : {"x86_64", "arm64"}) {
        std::string kind = "aws-k8s-" + minor_ + variant;
        std::string name = "bottlerocket-" + kind + "-" + architecture + "-v" + release.bottlerocket + "-1f2e3d4c";
        Image& image = add(release, name, architecture, "Bottlerocket " + kind);
        image.data_device = "/dev/xvdb";
        std::string folder = "/aws/service/bottlerocket/" + kind + "/" + architecture + "/";
        publish(release, folder + "latest/image_id", folder + release.bottlerocket + "/image_id", image);
      }
    }
  }

  void add_windows(const Release& release) {
    for (const char* year : {"2019", "2022", "2025"}) {
      std::string stem = std::string("Windows_Server-") + year + "-English-Core-EKS_Optimized-" + minor_;
      Image& image = add(release, stem + "-" + release.windows, "x86_64", "Microsoft Windows Server, EKS optimized");
      image.platform = "windows";
      image.root_device = image.data_device = "/dev/sda1";
      image.volume_gib = 50;
      if (release.latest) world_.parameters["/aws/service/ami-windows-latest/" + stem + "/image_id"] = image.id;
    }
  }

 private:
  Image& add(const Release& release, const std::string& name, std::string_view architecture, std::string description) {
    Image image;
    image.id = world_.new_id("ami-");
    image.name = name;
    image.description = std::move(description);
    image.architecture = architecture;
    image.root_device = image.data_device = "/dev/xvda";
    image.owner = kAmazonAccount;
    auto created = parse_rfc3339(release.created);
    CHECK(created.has_value());
    image.created_at = *created;
    image.deprecated_at = *created + kDeprecatedAfter;
    return world_.images.emplace(image.id, image).first->second;
  }

  void publish(const Release& release, const std::string& latest, const std::string& pinned, const Image& image) {
    world_.parameters[pinned] = image.id;
    if (release.latest) world_.parameters[latest] = image.id;
  }

  World& world_;
  const std::string minor_;
};

// The ids do not come from the world's sequence: they are the same whatever else the account has.
void add_ubuntu(World& world, int minor) {
  struct Variant {
    const char *architecture, *name, *id;
  };
  for (const Variant& v : {Variant{"x86_64", "amd64", "86"}, Variant{"arm64", "arm64", "64"}}) {
    const std::string kubernetes = "1." + std::to_string(minor);
    Image image;
    image.id = "ami-0200400000000" + std::to_string(minor) + v.id;
    image.name = "ubuntu-eks/k8s_" + kubernetes + "/images/hvm-ssd/ubuntu-focal-20.04-" + v.name + "-server-20260818";
    image.description = "Canonical, Ubuntu EKS Node OS (k8s_" + kubernetes + "), 20.04 LTS";
    image.architecture = v.architecture;
    image.root_device = image.data_device = "/dev/sda1";
    image.owner = kCanonicalAccount;
    image.created_at = *parse_rfc3339(kReleases[1].created);
    world.parameters["/aws/service/canonical/ubuntu/eks/20.04/" + kubernetes + "/stable/current/" + v.name +
                     "/hvm/ebs-gp2/ami-id"] = image.id;
    world.images.emplace(image.id, image);
  }
}

void add_eks_images(World& world) {
  auto [major, minor_text] = cut(world.options.kubernetes_version, '.');
  int minor = 0;
  auto [end, error] = std::from_chars(minor_text.data(), minor_text.data() + minor_text.size(), minor);
  CHECK(error == std::errc() && minor > kMinorsBelow, world.options.kubernetes_version);
  for (int m = minor - kMinorsBelow; m <= minor + kMinorsAbove; ++m) {
    ImageBuilder builder(world, std::string(major) + "." + std::to_string(m));
    for (const Release& release : kReleases) {
      builder.add_al2023(release);
      if (m <= kLastMinorOfAl2) builder.add_al2(release);
      builder.add_bottlerocket(release);
      builder.add_windows(release);
    }
  }
}

}  // namespace

void add_images(World& world) {
  add_eks_images(world);
  for (int minor = kFirstMinorOfUbuntu; minor <= kLastMinorOfUbuntu; ++minor) add_ubuntu(world, minor);
}

}  // namespace tenon::awssim
