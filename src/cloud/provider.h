// The interface to the cloud, split by role: a controller receives only the roles that it reads, and the executor of
// plans alone the writer. cloud/aws_provider calls EC2; cloud/testing has a double in memory. Both pass the same
// conformance tests (tests/integration/provider_conformance_test.cc). parity: karpenter pkg/cloudprovider/types.go
// Thread rule: that of the roles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cloud/health_reader.h"
#include "cloud/instance_reader.h"
#include "cloud/launch_reader.h"
#include "cloud/node_class_reader.h"
#include "cloud/type_reader.h"
#include "cloud/writer.h"

namespace tenon::cloud {

class Provider : public Writer,
                 public InstanceReader,
                 public TypeReader,
                 public NodeClassReader,
                 public HealthReader,
                 public LaunchReader {};

}  // namespace tenon::cloud
