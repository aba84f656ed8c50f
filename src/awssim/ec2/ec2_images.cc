// DescribeImages.
// SPDX-License-Identifier: Apache-2.0
#include "awssim/ec2/ec2.h"
#include "base/text.h"

namespace tenon::awssim::ec2 {
namespace {

constexpr int64_t kImagesPerPage = 1000;
constexpr int64_t kSystemVolumeGib = 2;  // of images with separate system and data volumes

Attribute image_attributes(const Image& image) {
  return [&](std::string_view name) -> Values {
    if (name == "image-id") return only(image.id);
    if (name == "name") return only(image.name);
    if (name == "architecture") return only(image.architecture);
    if (name == "state") return only("available");
    if (name == "owner-id") return only(image.owner);
    if (name == "owner-alias") return only("amazon");
    if (name == "image-type") return only("machine");
    if (name == "is-public") return only("true");
    if (name == "root-device-type") return only("ebs");
    if (name == "virtualization-type") return only("hvm");
    if (name == "platform") return image.platform.empty() ? Values(std::vector<std::string>{}) : only(image.platform);
    return std::nullopt;
  };
}

bool is_owned_by(const Image& image, const std::vector<std::string>& owners) {
  if (owners.empty()) return true;
  return std::any_of(owners.begin(), owners.end(), [&](const std::string& owner) {
    return owner == image.owner || owner == "amazon" || (owner == "self" && image.owner == kAccount);
  });
}

void write_image(const Image& image, Xml& out) {
  out.text("imageId", image.id).text("imageLocation", "amazon/" + image.name).text("imageState", "available");
  out.text("imageOwnerId", image.owner).text("imageOwnerAlias", "amazon").time("creationDate", image.created_at);
  out.boolean("isPublic", true).text("architecture", image.architecture).text("imageType", "machine");
  if (!image.platform.empty()) out.text("platform", image.platform);
  out.text("platformDetails", image.platform.empty() ? "Linux/UNIX" : "Windows");
  out.text("name", image.name).text("description", image.description);
  out.text("rootDeviceType", "ebs").text("rootDeviceName", image.root_device);
  auto write_device = [&](const std::string& device, int64_t gib) {
    out.element("item", [&] {
      out.text("deviceName", device);
      out.element("ebs", [&] {
        out.number("volumeSize", gib).text("volumeType", "gp3");
        out.boolean("deleteOnTermination", true).boolean("encrypted", false);
      });
    });
  };
  out.element("blockDeviceMapping", [&] {
    if (image.root_device != image.data_device) write_device(image.root_device, kSystemVolumeGib);
    write_device(image.data_device, image.volume_gib);
  });
  out.text("virtualizationType", "hvm").text("hypervisor", "xen").boolean("enaSupport", true);
  if (image.deprecated_at) out.time("deprecationTime", *image.deprecated_at);
  out.tags(image.tags);
}

}  // namespace

Outcome<void> describe_images(World& world, const Params& params, Xml& out) {
  Instant now = world.runtime.now();
  std::lock_guard lock(world.mutex);
  auto ids = params.list("ImageId");
  for (const std::string& id : ids) {
    if (!id.starts_with("ami-"))
      return deny("InvalidAMIID.Malformed", "Invalid id: \"" + id + "\" (expecting \"ami-...\")");
    if (!world.images.contains(id)) return deny("InvalidAMIID.NotFound", "The image id '[" + id + "]' does not exist");
  }
  auto owners = params.list("Owner");
  auto filters = filters_of(params);
  std::vector<std::pair<std::string, const Image*>> found;
  for (const auto& [id, image] : world.images) {
    bool by_id = std::find(ids.begin(), ids.end(), id) != ids.end();
    if (!ids.empty() && !by_id) continue;
    // Deprecated images are returned only by id or with IncludeDeprecated.
    bool deprecated = image.deprecated_at && *image.deprecated_at <= now;
    if (deprecated && !by_id && !params.flag("IncludeDeprecated")) continue;
    if (is_owned_by(image, owners) && AWS_TRY(passes(filters, image.tags, image_attributes(image))))
      found.emplace_back(id, &image);
  }
  return write_page(out, "imagesSet", std::move(found), AWS_TRY(page_request(params, kImagesPerPage)),
                    [&](const Image* image) { write_image(*image, out); });
}

}  // namespace tenon::awssim::ec2
