// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	providerfake "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
	"sigs.k8s.io/karpenter/pkg/test"
)

const mostRounds = 1000

type node struct {
	Name         string `json:"name"`
	Pool         string `json:"pool"`
	Type         string `json:"type"`
	Zone         string `json:"zone"`
	CapacityType string `json:"capacityType"`
	Pods         []pod  `json:"pods"`
}

type passOutput struct {
	Seconds       float64 `json:"seconds"`        // candidates, budgets and all methods
	MultiSeconds  float64 `json:"multi_seconds"`  // of which its search for several nodes
	SingleSeconds float64 `json:"single_seconds"` // and for single ones
	Candidates    int     `json:"candidates"`
	Moves         int     `json:"moves"`
	PeakMiB       float64 `json:"peak_mib"`
}

type roundsOutput struct {
	Rounds     int  `json:"rounds"`
	Unfinished bool `json:"unfinished"`

	Before  float64 `json:"usd_per_hour_before"`
	After   float64 `json:"usd_per_hour"`
	Nodes   int     `json:"nodes"`
	Seconds float64 `json:"seconds"`
	Longest float64 `json:"longest"`
	PeakMiB float64 `json:"peak_mib"`
}

// The wait and the second simulation before a command starts are not measured.
type noValidation struct{}

func (noValidation) Validate(_ context.Context, c disruption.Command, _ time.Duration) (disruption.Command, error) {
	return c, nil
}

// A cluster of its own for each pass, as Karpenter's controller sees it once it has been told of everything.
type world struct {
	ctx      context.Context
	in       *input
	provider *providerfake.CloudProvider
	cache    *cache
	cluster  *state.Cluster
	clock    *clocktesting.FakeClock
	methods  []disruption.Method
	queue    *disruption.Queue
	recorder events.Recorder
}

func (in *input) price(n *node) float64 {
	for _, t := range in.Types {
		if t.Name != n.Type {
			continue
		}
		for _, o := range t.Offerings {
			if o.Zone == n.Zone && o.CapacityType == n.CapacityType {
				return o.Price
			}
		}
	}
	return 0
}

func (in *input) total() float64 {
	sum := 0.0
	for i := range in.Nodes {
		sum += in.price(&in.Nodes[i])
	}
	return sum
}

func (w *world) pools() {
	zero := v1.MustParseNillableDuration("0s")
	for _, p := range w.in.Pools {
		pool := test.NodePool(v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: p.Name}, Spec: v1.NodePoolSpec{
			Limits:     v1.Limits{corev1.ResourceCPU: resource.MustParse("10000000")},
			Disruption: v1.Disruption{ConsolidateAfter: zero, ConsolidationPolicy: v1.ConsolidationPolicyWhenEmptyOrUnderutilized, Budgets: []v1.Budget{{Nodes: "100%"}}},
		}})
		pool.Spec.Template.Labels = p.Labels
		pool.Spec.Template.Spec.Requirements = []v1.NodeSelectorRequirementWithMinValues{{
			Key: v1.CapacityTypeLabelKey, Operator: corev1.NodeSelectorOpIn, Values: []string{v1.CapacityTypeOnDemand},
		}}
		w.cache.pools = append(w.cache.pools, pool)
	}
}

func (w *world) add(n *node, poolLabels map[string]string) error {
	labels := map[string]string{
		v1.NodePoolLabelKey: n.Pool, corev1.LabelInstanceTypeStable: n.Type, corev1.LabelTopologyZone: n.Zone,
		v1.CapacityTypeLabelKey: n.CapacityType, corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux",
		corev1.LabelHostname: n.Name,
	}
	maps.Copy(labels, poolLabels)
	for _, t := range w.provider.InstanceTypes {
		if t.Name != n.Type {
			continue
		}
		claim := test.NodeClaim(v1.NodeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "claim-" + n.Name, Labels: labels},
			Status:     v1.NodeClaimStatus{ProviderID: "test://" + n.Name, NodeName: n.Name, Capacity: t.Capacity, Allocatable: t.Allocatable()},
		})
		for _, condition := range []string{v1.ConditionTypeLaunched, v1.ConditionTypeRegistered, v1.ConditionTypeInitialized, v1.ConditionTypeConsolidatable} {
			claim.StatusConditions().SetTrue(condition)
		}
		up := test.NodeClaimLinkedNode(claim)
		up.Name = n.Name
		up.Spec.Taints = nil
		up.Labels[v1.NodeRegisteredLabelKey], up.Labels[v1.NodeInitializedLabelKey] = "true", "true"
		up.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		for _, p := range corePods(n.Pods) {
			p.Spec.NodeName = n.Name
			p.Status.Phase = corev1.PodRunning
			p.Status.Conditions = nil
			p.UID = types.UID("uid-" + p.Name)
			w.cache.add(p)
		}
		w.cache.nodes[up.Name] = up
		w.cluster.UpdateNodeClaim(claim)
		return w.cluster.UpdateNode(w.ctx, up)
	}
	return fmt.Errorf("no type %s", n.Type)
}

func newWorld(ctx context.Context, in *input) (*world, error) {
	w := &world{ctx: ctx, in: in, provider: providerfake.NewCloudProvider(), cache: newCache(clientfake.NewFakeClient()),
		clock: clocktesting.NewFakeClock(time.Now()), recorder: events.NewRecorder(&record.FakeRecorder{})}
	w.provider.InstanceTypes = in.instanceTypes()
	w.cluster = state.NewCluster(w.clock, w.cache, w.provider)
	w.pools()
	labels := map[string]map[string]string{}
	for _, p := range in.Pools {
		labels[p.Name] = p.Labels
	}
	for i := range in.Nodes {
		if err := w.add(&in.Nodes[i], labels[in.Nodes[i].Pool]); err != nil {
			return nil, err
		}
	}
	provisioner := provisioning.NewProvisioner(w.cache, w.recorder, w.provider, w.cluster, w.clock,
		deviceallocation.NewController(w.cache), virtualpods.NewVirtualPodCache(w.cache))
	w.queue = disruption.NewQueue(w.cache, w.recorder, w.cluster, w.clock, provisioner)
	c := disruption.MakeConsolidation(w.clock, w.cluster, w.cache, provisioner, w.provider, w.recorder, w.queue)
	w.methods = []disruption.Method{
		disruption.NewEmptiness(c, disruption.WithValidator(noValidation{})),
		disruption.NewMultiNodeConsolidation(c, disruption.WithValidator(noValidation{})),
		disruption.NewSingleNodeConsolidation(c, disruption.WithValidator(noValidation{})),
	}
	return w, nil
}

// As the controller's disrupt(): the first method that finds something ends the pass.
func (w *world) pass(out *passOutput) (*disruption.Command, error) {
	start := time.Now()
	defer func() { out.Seconds = time.Since(start).Seconds() }()
	for _, m := range w.methods {
		began := time.Now()
		candidates, err := disruption.GetCandidates(w.ctx, w.cluster, w.cache, w.recorder, w.clock, w.provider, m.ShouldDisrupt, m.Class(), w.queue)
		if err != nil {
			return nil, err
		}
		if len(candidates) == 0 {
			continue
		}
		budgets, err := disruption.BuildDisruptionBudgetMapping(w.ctx, w.cluster, w.clock, w.cache, w.provider, w.recorder, m.Reason())
		if err != nil {
			return nil, err
		}
		commands, err := m.ComputeCommands(w.ctx, budgets, candidates...)
		if err != nil {
			return nil, err
		}
		switch m.ConsolidationType() {
		case disruption.MultiNodeConsolidationType:
			out.MultiSeconds = time.Since(began).Seconds()
		case disruption.SingleNodeConsolidationType:
			out.SingleSeconds, out.Candidates = time.Since(began).Seconds(), len(candidates)
		}
		for i := range commands {
			if commands[i].Decision() != disruption.NoOpDecision {
				out.Moves++
				return &commands[i], nil
			}
		}
	}
	return nil, nil
}

// The input after the command: pods run where its simulation put them, the new node is the cheapest it may be.
func (in *input) carryOut(command *disruption.Command, round int) {
	moved := map[string]pod{}
	gone := map[string]bool{}
	for _, c := range command.Candidates {
		gone[c.Name()] = true
	}
	var left []node
	for _, n := range in.Nodes {
		if !gone[n.Name] {
			left = append(left, n)
			continue
		}
		for _, p := range n.Pods {
			moved[p.Name] = p
		}
	}
	to := map[string][]string{}
	for _, n := range command.Results.ExistingNodes {
		for _, p := range n.Pods {
			to[n.Name()] = append(to[n.Name()], p.Name)
		}
	}
	for i := range left {
		for _, name := range to[left[i].Name] {
			left[i].Pods = append(left[i].Pods, moved[name])
		}
	}
	for i, r := range command.Replacements {
		n := node{Name: fmt.Sprintf("node-%d-%d", round, i), Pool: r.NodePoolName}
		least := -1.0
		for _, t := range r.InstanceTypeOptions {
			for _, o := range t.Offerings.Available().Compatible(r.Requirements) {
				if least < 0 || o.Price < least {
					least, n.Type, n.Zone, n.CapacityType = o.Price, t.Name, o.Zone(), o.CapacityType()
				}
			}
		}
		for _, p := range r.Pods {
			n.Pods = append(n.Pods, moved[p.Name])
		}
		left = append(left, n)
	}
	in.Nodes = left
}

func peakMiB() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Maxrss) / 1024
}

// `most` is how long rounds may take, all in all; what has been reached by then is printed.
func disrupt(path string, rounds bool, most time.Duration) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var in input
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	ctx := options.ToContext(injection.WithControllerName(context.Background(), "disruption"), test.Options())
	if !rounds {
		w, err := newWorld(ctx, &in)
		if err != nil {
			return err
		}
		var out passOutput
		if _, err := w.pass(&out); err != nil {
			return err
		}
		out.PeakMiB = peakMiB()
		return json.NewEncoder(os.Stdout).Encode(out)
	}
	out := roundsOutput{Before: in.total()}
	began := time.Now()
	for ; out.Rounds < mostRounds; out.Rounds++ {
		if out.Unfinished = time.Since(began) > most; out.Unfinished {
			break
		}
		w, err := newWorld(ctx, &in)
		if err != nil {
			return err
		}
		var took passOutput
		command, err := w.pass(&took)
		if err != nil {
			return err
		}
		out.Seconds += took.Seconds
		out.Longest = max(out.Longest, took.Seconds)
		if command == nil {
			break
		}
		in.carryOut(command, out.Rounds)
	}
	out.After, out.Nodes, out.PeakMiB = in.total(), len(in.Nodes), peakMiB()
	return json.NewEncoder(os.Stdout).Encode(out)
}
