// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/write.h"

#include "json/json.h"

namespace tenon::kubesim {

Result<Object> write(Api& api, const WriteTarget& target, const Object& base,
                     const std::function<bool(json::value&)>& change) {
  Object current = base;
  const ObjectKey key = key_of(*base);
  for (int attempt = 0; attempt < kMaxWriteAttempts; ++attempt) {
    json::value next = *current;
    if (!change(next)) return current;
    auto written = api.update(target.resource, key.ns, std::move(next), target.subresource);
    if (written || written.error().code != Code::kConflict) return written;
    current = TRY(api.get(target.resource, key.ns, key.name));
    if (uid_of(*current) != uid_of(*base))
      return fail(Code::kNotFound, target.resource.plural + " \"" + key.name + "\": another object has that name now");
  }
  return fail(Code::kConflict, target.resource.plural + " \"" + key.name + "\": changed by others at every attempt");
}

}  // namespace tenon::kubesim
