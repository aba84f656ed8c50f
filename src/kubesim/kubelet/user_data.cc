// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/user_data.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/kubelet/bottlerocket.h"

namespace tenon::kubesim {
namespace {

std::optional<int> to_int(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Splits text into words as a POSIX shell does: both kinds of quotes, backslash at the end of a line.
std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      if (text[++i] != '\n') word += text[i];
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
      continue;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

// "a=b,c=d" (or "a<b,c<d" for eviction thresholds).
template <class Put>
void read_pairs(std::string_view text, char between, Put put) {
  if (text.empty()) return;
  for (const std::string_view entry : split(text, ',')) {
    const auto [key, value] = cut(trim(entry), between);
    if (!key.empty()) put(std::string(key), std::string(value));
  }
}

// "key=value:Effect" or "key:Effect".
Taint read_taint(std::string_view text) {
  const size_t colon = text.rfind(':');
  const auto [key, value] = cut(text.substr(0, colon), '=');
  return {std::string(key), std::string(value), colon == text.npos ? "" : std::string(text.substr(colon + 1))};
}

void read_flag(BootConfig& config, std::string_view name, std::string_view value) {
  const auto into = [](auto& map) {
    return [&map](std::string k, std::string v) { map[std::move(k)] = std::move(v); };
  };
  model::KubeletConfig& kubelet = config.kubelet;
  if (name == "--node-labels") {
    read_pairs(value, '=', into(config.labels));
  } else if (name == "--register-with-taints") {
    for (const std::string_view taint : split(value, ','))
      if (!trim(taint).empty()) add_taint(config, read_taint(trim(taint)));
  } else if (name == "--max-pods") {
    kubelet.max_pods = to_int(value);
  } else if (name == "--pods-per-core") {
    kubelet.pods_per_core = to_int(value);
  } else if (name == "--system-reserved") {
    read_pairs(value, '=', into(kubelet.system_reserved));
  } else if (name == "--kube-reserved") {
    read_pairs(value, '=', into(kubelet.kube_reserved));
  } else if (name == "--eviction-hard") {
    read_pairs(value, '<', into(kubelet.eviction_hard));
  }
}

// Words of the form --name=value or --name value.
void read_flags(BootConfig& config, const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) continue;
    const auto [name, value] = cut(words[i], '=');
    const bool apart = words[i].find('=') == std::string::npos;
    if (apart && i + 1 < words.size() && !words[i + 1].starts_with("--"))
      read_flag(config, name, words[i + 1]);
    else
      read_flag(config, name, value);
  }
}

void read_script(BootConfig& config, std::string_view script) {
  const size_t call = script.find("/etc/eks/bootstrap.sh");
  if (call == script.npos) return;
  const std::vector<std::string> words = shell_words(script.substr(call));
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--kubelet-extra-args" && i + 1 < words.size()) {
      read_flags(config, shell_words(words[++i]));
    } else if (words[i] == "--local-disks" && i + 1 < words.size()) {
      config.raid0 = words[++i] == "raid0";
    } else if (words[i].starts_with("--")) {
      ++i;  // every option of the script has one argument
    } else if (config.cluster.empty()) {
      config.cluster = words[i];
    }
  }
}

// Options are -Name 'value'.
void read_powershell(BootConfig& config, std::string_view script) {
  const size_t call = script.find("& $EKSBootstrapScriptFile");
  if (call == script.npos) return;
  const std::string_view line = script.substr(call, script.find('\n', call) - call);
  const std::vector<std::string> words = shell_words(line);
  config.windows = true;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "-EKSClusterName") config.cluster = words[i + 1];
    if (words[i] == "-KubeletExtraArgs") read_flags(config, shell_words(words[i + 1]));
  }
}

void read_map(const json::value& kubelet, std::string_view key, model::StringMap& map) {
  for (const auto& [name, value] : json::object_at(kubelet, {key}))
    map[std::string(name)] = value.is_string() ? std::string(value.get_string()) : json::to_string(value);
}

void read_node_config(BootConfig& config, const json::value& document) {
  if (json::string_at(document, {"kind"}) != "NodeConfig") return;
  if (const auto name = json::string_at(document, {"spec", "cluster", "name"}); !name.empty()) config.cluster = name;
  if (json::string_at(document, {"spec", "instance", "localStorage", "strategy"}) == "RAID0") config.raid0 = true;
  const json::value* kubelet = json::find(document, {"spec", "kubelet", "config"});
  if (kubelet != nullptr) {
    if (const int64_t pods = json::int_at(*kubelet, {"maxPods"}); pods > 0)
      config.kubelet.max_pods = static_cast<int>(pods);
    if (const int64_t pods = json::int_at(*kubelet, {"podsPerCore"}); pods > 0)
      config.kubelet.pods_per_core = static_cast<int>(pods);
    read_map(*kubelet, "systemReserved", config.kubelet.system_reserved);
    read_map(*kubelet, "kubeReserved", config.kubelet.kube_reserved);
    read_map(*kubelet, "evictionHard", config.kubelet.eviction_hard);
    for (const json::value& taint : json::array_at(*kubelet, {"registerWithTaints"}))
      add_taint(config, {std::string(json::string_at(taint, {"key"})), std::string(json::string_at(taint, {"value"})),
                         std::string(json::string_at(taint, {"effect"}))});
  }
  for (const json::value& flag : json::array_at(document, {"spec", "kubelet", "flags"}))
    if (flag.is_string()) read_flags(config, shell_words(flag.get_string()));
}

void read_part(BootConfig& config, std::string_view type, std::string_view body) {
  if (type.starts_with("application/node.eks.aws")) {
    auto documents = json::parse_yaml(body);
    if (!documents) {
      config.problem = "NodeConfig: " + documents.error().message;
      return;
    }
    for (const json::value& document : *documents) read_node_config(config, document);
  } else {
    read_script(config, body);
  }
}

// The value of a header line, or empty; `headers` ends at the first empty line.
std::string_view header(std::string_view headers, std::string_view name) {
  for (const std::string_view line : split(headers, '\n')) {
    const auto [key, value] = cut(line, ':');
    if (to_lower(trim(key)) == name) return trim(value);
  }
  return {};
}

void read_mime(BootConfig& config, std::string_view text) {
  const size_t start = text.find("\n\n");
  const std::string_view type = header(text.substr(0, start), "content-type");
  const size_t at = type.find("boundary=");
  if (at == type.npos || start == text.npos) {
    config.problem = "user data: a MIME document that is not multipart";
    return;
  }
  std::string boundary(type.substr(at + 9));
  std::erase(boundary, '"');
  const std::string marker = "--" + boundary;
  for (size_t open = text.find(marker, start); open != text.npos;) {
    const size_t from = open + marker.size();
    if (text.substr(from).starts_with("--")) return;
    const size_t close = text.find("\n" + marker, from);
    const std::string_view part = trim(text.substr(from, close == text.npos ? close : close - from));
    const size_t body = part.find("\n\n");
    if (body != part.npos) read_part(config, header(part.substr(0, body), "content-type"), part.substr(body + 2));
    open = close == text.npos ? close : close + 1;
  }
}

// A kubelet does not start with labels in Kubernetes' own domains, with some exceptions.
// parity: k8s.io/kubernetes pkg/kubelet/apis/well_known_labels.go
bool kubelet_may_set(std::string_view key) {
  const auto [domain, name] = cut(key, '/');
  if (name.empty()) return true;
  const auto within = [&](std::string_view parent) {
    return domain == parent || (domain.ends_with(parent) && domain[domain.size() - parent.size() - 1] == '.');
  };
  if (!within("kubernetes.io") && !within("k8s.io")) return true;
  if (within("kubelet.kubernetes.io") || within("node.kubernetes.io")) return true;
  static constexpr std::string_view kAllowed[] = {"kubernetes.io/hostname",
                                                  "kubernetes.io/arch",
                                                  "kubernetes.io/os",
                                                  "beta.kubernetes.io/arch",
                                                  "beta.kubernetes.io/os",
                                                  "beta.kubernetes.io/instance-type",
                                                  "topology.kubernetes.io/region",
                                                  "topology.kubernetes.io/zone",
                                                  "failure-domain.beta.kubernetes.io/region",
                                                  "failure-domain.beta.kubernetes.io/zone"};
  return std::find(std::begin(kAllowed), std::end(kAllowed), key) != std::end(kAllowed);
}

}  // namespace

BootConfig read_user_data(std::string_view user_data) {
  BootConfig config;
  std::string text(trim(user_data));
  std::erase(text, '\r');
  if (text.starts_with("MIME-Version:") || text.starts_with("Content-Type:")) {
    read_mime(config, text);
  } else if (text.starts_with("#!")) {
    read_script(config, text);
  } else if (text.starts_with("<powershell>")) {
    read_powershell(config, text);
  } else if (text.find("[settings") != text.npos) {
    read_bottlerocket(config, text);
  } else {
    read_part(config, "application/node.eks.aws", text);
  }
  for (const auto& [key, value] : config.labels)
    if (!kubelet_may_set(key) && config.problem.empty())
      config.problem = "kubelet: --node-labels: " + key + " is in a domain that a kubelet may not set";
  return config;
}

}  // namespace tenon::kubesim
