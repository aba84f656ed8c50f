// The columns of the built-in kinds in `kubectl get`: names, order, priorities and the path of the field that a cell
// shows are data (data/kubernetes/columns); cells that need more than one field name a function of this program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "kubesim/apiserver/base/data_file.h"
#include "kubesim/apiserver/kinds/registry.h"

namespace tenon::kubesim::apiserver {

// The input of a column's function beside the object.
struct CellInput {
  const std::vector<std::string>& path;  // of the field: {"spec", "nodeName"}; empty: the function takes none
  std::string_view otherwise;            // the cell of an object without the field
  Instant now;
};

// A function that computes the cells of a column, with its name in the data files.
struct CellFunction {
  std::string_view name;
  boost::json::value (*compute)(const boost::json::value& object, const CellInput& input);
  enum class Takes { kNothing, kPath, kPathAndDefault } takes = Takes::kNothing;  // the default is optional
};

struct KindColumn {
  PrinterColumn definition;
  const CellFunction* function = nullptr;
  std::vector<std::string> path;
  std::string otherwise;
};

struct KindColumns {
  std::string group, kind;
  std::vector<KindColumn> columns;
};

// Returns the columns of all kinds in the files. Errors: kInvalid with file, line, kind and column: unknown types and
// functions, arguments that a function does not take or needs, kinds and columns that exist twice.
Result<std::vector<KindColumns>> read_columns(const std::vector<DataFile>& files);

// data/kubernetes/columns as compiled into the binary.
std::vector<DataFile> builtin_column_files();

// Returns the columns of a built-in kind; null if the kind has none. The files are read once, at the first call.
const KindColumns* builtin_columns(std::string_view group, std::string_view kind);

// Returns the cells of one object, one per column.
boost::json::array cells_of(const KindColumns& kind, const boost::json::value& object, Instant now);

std::span<const CellFunction> common_cells();    // columns_common.cc
std::span<const CellFunction> core_cells();      // columns_core.cc
std::span<const CellFunction> workload_cells();  // columns_workloads.cc
std::span<const CellFunction> other_cells();     // columns_other.cc

}  // namespace tenon::kubesim::apiserver
