// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// cache answers as the controllers' informer cache does: from memory, with an index of pods by node, and with copies
// unless the caller forbids them. What it does not know is asked of a client that has nothing.
type cache struct {
	client.Client
	nodes  map[string]*corev1.Node
	pools  []*v1.NodePool
	pods   []*corev1.Pod
	byNode map[string][]*corev1.Pod
}

func newCache(rest client.Client) *cache {
	return &cache{Client: rest, nodes: map[string]*corev1.Node{}, byNode: map[string][]*corev1.Pod{}}
}

func (c *cache) add(p *corev1.Pod) {
	c.pods = append(c.pods, p)
	c.byNode[p.Spec.NodeName] = append(c.byNode[p.Spec.NodeName], p)
}

func (c *cache) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	shared := o.UnsafeDisableDeepCopy != nil && *o.UnsafeDisableDeepCopy
	switch l := list.(type) {
	case *corev1.PodList:
		pods := c.pods
		if o.FieldSelector != nil {
			name, _ := o.FieldSelector.RequiresExactMatch("spec.nodeName")
			pods = c.byNode[name]
		}
		for _, p := range pods {
			if o.Namespace != "" && o.Namespace != p.Namespace {
				continue
			}
			if o.LabelSelector != nil && !o.LabelSelector.Matches(labels.Set(p.Labels)) {
				continue
			}
			if shared {
				l.Items = append(l.Items, *p)
			} else {
				l.Items = append(l.Items, *p.DeepCopy())
			}
		}
		return nil
	case *v1.NodePoolList:
		for _, p := range c.pools {
			l.Items = append(l.Items, *p.DeepCopy())
		}
		return nil
	}
	return c.Client.List(ctx, list, opts...)
}

func (c *cache) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	switch o := object.(type) {
	case *corev1.Node:
		if n, ok := c.nodes[key.Name]; ok {
			n.DeepCopyInto(o)
			return nil
		}
		return errors.NewNotFound(schema.GroupResource{Resource: "nodes"}, key.Name)
	case *v1.NodePool:
		for _, p := range c.pools {
			if p.Name == key.Name {
				p.DeepCopyInto(o)
				return nil
			}
		}
		return errors.NewNotFound(schema.GroupResource{Resource: "nodepools"}, key.Name)
	}
	return c.Client.Get(ctx, key, object, opts...)
}
