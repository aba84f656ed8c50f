// A current kubectl, built from its own module: Debian's is five years old.
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
