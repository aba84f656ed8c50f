// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/bottlerocket.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace tenon::kubesim {
namespace {

std::string_view unquote(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    return text.substr(1, text.size() - 2);
  return text;
}

// Cuts at the first separator that is not within quotes.
std::pair<std::string_view, std::string_view> cut_outside_quotes(std::string_view text, char separator) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == separator) {
      return {text.substr(0, i), text.substr(i + 1)};
    }
  }
  return {text, {}};
}

std::vector<std::string> read_values(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('[')) return {std::string(unquote(text))};
  text = text.substr(1, text.size() - (text.ends_with(']') ? 2 : 1));
  std::vector<std::string> values;
  while (!trim(text).empty()) {
    const auto [value, rest] = cut_outside_quotes(text, ',');
    if (!trim(value).empty()) values.emplace_back(unquote(value));
    text = rest;
  }
  return values;
}

void set_entry(BootConfig& config, std::string_view table, std::string key, std::vector<std::string> values) {
  if (values.empty()) return;
  if (table == "settings.kubernetes") {
    if (key == "cluster-name") config.cluster = values[0];
    int pods = 0;
    if (key == "max-pods" &&
        std::from_chars(values[0].data(), values[0].data() + values[0].size(), pods).ec == std::errc{})
      config.kubelet.max_pods = pods;
  } else if (table.starts_with("settings.bootstrap-commands.") && key == "commands") {
    const auto storage = [](const std::string& word) { return word.find("ephemeral-storage") != word.npos; };
    config.raid0 |= std::any_of(values.begin(), values.end(), storage);
  } else if (table == "settings.kubernetes.node-labels") {
    config.labels[std::move(key)] = values[0];
  } else if (table == "settings.kubernetes.kube-reserved") {
    config.kubelet.kube_reserved[std::move(key)] = values[0];
  } else if (table == "settings.kubernetes.system-reserved") {
    config.kubelet.system_reserved[std::move(key)] = values[0];
  } else if (table == "settings.kubernetes.eviction-hard") {
    config.kubelet.eviction_hard[std::move(key)] = values[0];
  } else if (table == "settings.kubernetes.node-taints") {
    for (const std::string& entry : values) {
      const auto [value, effect] = cut(entry, ':');
      add_taint(config, {key, std::string(value), std::string(effect)});
    }
  }
}

}  // namespace

void add_taint(BootConfig& config, Taint taint) {
  if (std::find(config.taints.begin(), config.taints.end(), taint) == config.taints.end())
    config.taints.push_back(std::move(taint));
}

void read_bottlerocket(BootConfig& config, std::string_view text) {
  std::string table;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view content = trim(cut_outside_quotes(line, '#').first);
    if (content.empty()) continue;
    if (content.front() == '[') {
      table = content.substr(1, content.size() - 2);
      std::erase_if(table, [](char c) { return c == '"' || c == '\''; });
      continue;
    }
    const auto [key, value] = cut_outside_quotes(content, '=');
    set_entry(config, table, std::string(unquote(key)), read_values(value));
  }
}

}  // namespace tenon::kubesim
