// client-go's own informers against the minicluster: they must see every change, and lose none when watches end,
// connections break or the server has forgotten the version they stand at.
//
//	informer KUBECONFIG
//
// With KUBE_FEATURE_WatchListClient=true, client-go's own switch, the first state comes by a watch instead of a list.
//
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	pods       = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	nodes      = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	nodePools  = schema.GroupVersionResource{Group: "karpenter.sh", Version: "v1", Resource: "nodepools"}
)

// world is the cluster, reached directly: what the stories change is changed through it.
type world struct {
	ctx    context.Context
	config *rest.Config
	direct dynamic.Interface
	// byWatch: the first state comes by a watch.
	byWatch bool
}

// of is the collection, in the namespace "default" if it has namespaces.
func (w *world) of(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	if resource == configMaps || resource == pods {
		return w.direct.Resource(resource).Namespace("default")
	}
	return w.direct.Resource(resource)
}

type object = map[string]any

func a(apiVersion, kind, name string, rest object) *unstructured.Unstructured {
	content := object{"apiVersion": apiVersion, "kind": kind, "metadata": object{"name": name}}
	for key, value := range rest {
		content[key] = value
	}
	return &unstructured.Unstructured{Object: content}
}

func configMap(name string) *unstructured.Unstructured { return a("v1", "ConfigMap", name, nil) }

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check("kubeconfig", err)
	config.QPS, config.Burst = 100000, 100000
	direct, err := dynamic.NewForConfig(config)
	check("client", err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	w := &world{ctx, config, direct, os.Getenv("KUBE_FEATURE_WatchListClient") == "true"}
	for _, story := range []struct {
		name string
		tell func(*world) error
	}{
		{"every change of four kinds is seen", everyChange},
		{"watches that end are taken up again, and bookmarks come", endingWatches},
		{"broken connections lose nothing", brokenConnections},
		{"a forgotten version is noticed", forgottenVersion},
		{"pages are consistent", pages},
	} {
		begun := time.Now()
		check(story.name, story.tell(w))
		fmt.Printf("ok   %s (%d ms)\n", story.name, time.Since(begun).Milliseconds())
	}
}

func check(what string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL", what+":", err)
		os.Exit(1)
	}
}
