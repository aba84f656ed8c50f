// The built-in types of Kubernetes as shapes, read from data/kubernetes/types: one file per API group. The header
// comment of each file states the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "kubesim/apiserver/base/data_file.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {

// Returns the types of all files as one set; a type may refer to a type of another file. Errors: kInvalid with file,
// line, type and field: unknown types and marks, numbers that are not positive or that a type has twice, names that
// exist twice, marks that do not fit the type, keys that the elements of a list do not have.
Result<std::unique_ptr<const ShapeSet>> read_types(const std::vector<DataFile>& files);

// data/kubernetes/types as compiled into the binary.
std::vector<DataFile> builtin_type_files();

}  // namespace tenon::kubesim::apiserver
