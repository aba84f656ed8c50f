// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/log_level_watch.h"

#include <utility>

#include "cli/controller/global_settings.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::cli {

LogLevelWatch::LogLevelWatch(runtime::Runtime& runtime, kube::Client& client, const std::string& ns, ProcessLog log,
                             std::string by_default)
    : log_(std::move(log)),
      by_default_(std::move(by_default)),
      now_(by_default_),
      reflector_(kube::make_reflector(runtime, client, kube::kConfigMaps,
                                      {.ns = ns, .field_selector = "metadata.name=" + std::string(kConfigLogging)},
                                      *this)) {}

LogLevelWatch::~LogLevelWatch() { reflector_->stop(); }

void LogLevelWatch::start() { reflector_->start(); }

void LogLevelWatch::list_begins() { listed_ = false; }

void LogLevelWatch::list_item(const json::value& object) { upsert(object); }

bool LogLevelWatch::list_done() {
  if (!listed_) set(by_default_);
  return true;  // a level that is wrong for a while does no harm, so that no second list has to confirm this one
}

void LogLevelWatch::upsert(const json::value& object) {
  if (json::string_at(object, {"metadata", "name"}) != kConfigLogging) return;
  listed_ = true;
  const auto read = logging_level(object);
  if (!read) return log_.logger.failure("logging", std::string(kConfigLogging), read.error());
  set(read->empty() ? by_default_ : *read);
}

void LogLevelWatch::erase(const json::value& object) {
  if (json::string_at(object, {"metadata", "name"}) == kConfigLogging) set(by_default_);
}

void LogLevelWatch::set(const std::string& wanted) {
  if (wanted == now_) return;
  if (const Status done = log_.level->set(wanted); !done) {
    return log_.logger.failure("logging", std::string(kConfigLogging),
                               done.error().in("ConfigMap " + std::string(kConfigLogging)));
  }
  log_.logger.info("the log level is " + wanted + " now");
  now_ = wanted;
}

}  // namespace tenon::cli
