// SPDX-License-Identifier: Apache-2.0

// Solves one input of bench/solver_bench with Karpenter's own scheduler and prints what came out as one line of JSON.
// The time covers what Karpenter does for one batch of pods: the topology, the scheduler, the solve.
//
//	karpenter FILE [RUNS]
//	karpenter --pass FILE 0           one pass of its consolidation, with every candidate (disruption.go)
//	karpenter --rounds FILE SECONDS   passes, each carried out, until one finds nothing or the time is up
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	providerfake "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	provisioning "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/test"
)

type amounts struct {
	CPUMilli int64 `json:"cpuMilli"`
	Memory   int64 `json:"memory"`
	Pods     int64 `json:"pods"`
}

type rule struct {
	Key    string            `json:"key"`
	Labels map[string]string `json:"labels"`
}

type preferredZone struct {
	Weight int32  `json:"weight"`
	Zone   string `json:"zone"`
}

type preferredApart struct {
	Weight int32 `json:"weight"`
	rule
}

type pod struct {
	Name         string            `json:"name"`
	Requests     amounts           `json:"requests"`
	Labels       map[string]string `json:"labels"`
	Spread       []rule            `json:"spread"`
	Affinity     []rule            `json:"affinity"`
	AntiAffinity []rule            `json:"antiAffinity"`
	PreferZone   []preferredZone   `json:"preferZone"`
	PreferApart  []preferredApart  `json:"preferApart"`
	NodeSelector map[string]string `json:"nodeSelector"`
}

type input struct {
	Types []struct {
		Name      string  `json:"name"`
		Capacity  amounts `json:"capacity"`
		Overhead  amounts `json:"overhead"`
		Offerings []struct {
			Zone         string  `json:"zone"`
			CapacityType string  `json:"capacityType"`
			Price        float64 `json:"price"`
		} `json:"offerings"`
	} `json:"types"`
	Daemons []pod `json:"daemons"`
	Pods    []pod `json:"pods"`
	Pools   []struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"pools"`
	Nodes []node `json:"nodes"`
}

type output struct {
	Seconds    float64 `json:"seconds"` // the median of the runs
	Runs       int     `json:"runs"`
	USDPerHour float64 `json:"usd_per_hour"`
	Nodes      int     `json:"nodes"`
	Placed     int     `json:"placed"`
	PeakMiB    float64 `json:"peak_mib"`
}

func resources(a amounts) corev1.ResourceList {
	list := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(a.CPUMilli, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(a.Memory, resource.BinarySI),
	}
	if a.Pods > 0 {
		list[corev1.ResourcePods] = *resource.NewQuantity(a.Pods, resource.DecimalSI)
	}
	return list
}

func (in *input) instanceTypes() []*cloudprovider.InstanceType {
	var all []*cloudprovider.InstanceType
	for _, t := range in.Types {
		var offerings cloudprovider.Offerings
		var zones, capacityTypes []string
		for _, o := range t.Offerings {
			zones, capacityTypes = append(zones, o.Zone), append(capacityTypes, o.CapacityType)
			offerings = append(offerings, &cloudprovider.Offering{
				Available: true,
				Price:     o.Price,
				Requirements: scheduling.NewLabelRequirements(map[string]string{
					v1.CapacityTypeLabelKey: o.CapacityType, corev1.LabelTopologyZone: o.Zone,
				}),
			})
		}
		in := corev1.NodeSelectorOpIn
		all = append(all, &cloudprovider.InstanceType{
			Name:      t.Name,
			Capacity:  resources(t.Capacity),
			Overhead:  &cloudprovider.InstanceTypeOverhead{KubeReserved: resources(t.Overhead)},
			Offerings: offerings,
			Requirements: scheduling.NewRequirements(
				scheduling.NewRequirement(corev1.LabelInstanceTypeStable, in, t.Name),
				scheduling.NewRequirement(corev1.LabelArchStable, in, "amd64"),
				scheduling.NewRequirement(corev1.LabelOSStable, in, "linux"),
				scheduling.NewRequirement(corev1.LabelTopologyZone, in, zones...),
				scheduling.NewRequirement(v1.CapacityTypeLabelKey, in, capacityTypes...),
			),
		})
	}
	return all
}

func terms(rules []rule) []corev1.PodAffinityTerm {
	var all []corev1.PodAffinityTerm
	for _, r := range rules {
		all = append(all, corev1.PodAffinityTerm{
			TopologyKey: r.Key, LabelSelector: &metav1.LabelSelector{MatchLabels: r.Labels},
		})
	}
	return all
}

func corePods(pods []pod) []*corev1.Pod {
	var all []*corev1.Pod
	for i, p := range pods {
		var spread []corev1.TopologySpreadConstraint
		for _, r := range p.Spread {
			spread = append(spread, corev1.TopologySpreadConstraint{
				MaxSkew: 1, TopologyKey: r.Key, WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector: &metav1.LabelSelector{MatchLabels: r.Labels},
			})
		}
		var zones []corev1.NodeSelectorRequirement
		for _, z := range p.PreferZone {
			zones = append(zones, corev1.NodeSelectorRequirement{
				Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{z.Zone},
			})
		}
		var apart []corev1.WeightedPodAffinityTerm
		for _, a := range p.PreferApart {
			apart = append(apart, corev1.WeightedPodAffinityTerm{
				Weight: a.Weight, PodAffinityTerm: terms([]rule{a.rule})[0],
			})
		}
		requests := p.Requests
		requests.Pods = 0 // Karpenter counts the pod itself
		all = append(all, test.Pod(test.PodOptions{
			ObjectMeta: metav1.ObjectMeta{
				Name: p.Name, Namespace: "default", Labels: p.Labels, UID: types.UID(fmt.Sprintf("uid-%08d", i)),
			},
			ResourceRequirements:      corev1.ResourceRequirements{Requests: resources(requests)},
			TopologySpreadConstraints: spread,
			PodRequirements:           terms(p.Affinity),
			PodAntiRequirements:       terms(p.AntiAffinity),
			NodePreferences:           zones,
			NodeSelector:              p.NodeSelector,
			PodAntiPreferences:        apart,
		}))
	}
	return all
}

// Everything that a solve changes is new, so that each run is a clean one.
func solve(ctx context.Context, in *input) (provisioning.Results, time.Duration, error) {
	pool := test.NodePool(v1.NodePool{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
		Spec: v1.NodePoolSpec{Limits: v1.Limits{
			corev1.ResourceCPU:    resource.MustParse("10000000"),
			corev1.ResourceMemory: resource.MustParse("10000000Gi"),
		}},
	})
	provider := providerfake.NewCloudProvider()
	provider.InstanceTypes = in.instanceTypes()
	byPool := map[string][]*cloudprovider.InstanceType{pool.Name: provider.InstanceTypes}
	pods, daemons := corePods(in.Pods), corePods(in.Daemons)
	client, wall := clientfake.NewFakeClient(), &clock.RealClock{}
	cluster := state.NewCluster(wall, client, provider)
	pools := []*v1.NodePool{pool}
	workers := provisioning.NumConcurrentReconciles(5) // as Karpenter's own benchmark

	start := time.Now()
	topology, err := provisioning.NewTopology(ctx, client, cluster, nil, pools, byPool, pods, workers)
	if err != nil {
		return provisioning.Results{}, 0, err
	}
	scheduler := provisioning.NewScheduler(ctx, client, pools, cluster, nil, topology, byPool, daemons,
		events.NewRecorder(&record.FakeRecorder{}), wall, nil, nil, workers)
	results, err := scheduler.Solve(ctx, pods)
	return results, time.Since(start), err
}

func price(claim *provisioning.NodeClaim) float64 {
	least := math.Inf(1)
	for _, t := range claim.InstanceTypeOptions {
		for _, o := range t.Offerings.Available().Compatible(claim.Requirements) {
			least = math.Min(least, o.Price)
		}
	}
	return least
}

func run(path string, runs int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var in input
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	ctx := options.ToContext(injection.WithControllerName(context.Background(), "provisioner"), test.Options())
	out := output{Runs: runs}
	var seconds []float64
	for range runs {
		results, took, err := solve(ctx, &in)
		if err != nil {
			return err
		}
		seconds = append(seconds, took.Seconds())
		out.Nodes, out.Placed, out.USDPerHour = len(results.NewNodeClaims), 0, 0
		for _, claim := range results.NewNodeClaims {
			out.Placed += len(claim.Pods)
			out.USDPerHour += price(claim)
		}
	}
	slices.Sort(seconds)
	out.Seconds = seconds[len(seconds)/2]
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	out.PeakMiB = float64(usage.Maxrss) / 1024
	return json.NewEncoder(os.Stdout).Encode(out)
}

func main() {
	log.SetLogger(logging.NopLogger)
	runs := 1
	if len(os.Args) == 4 && (os.Args[1] == "--pass" || os.Args[1] == "--rounds") {
		seconds, _ := strconv.Atoi(os.Args[3])
		if err := disrupt(os.Args[2], os.Args[1] == "--rounds", time.Duration(seconds)*time.Second); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 2 {
		runs, _ = strconv.Atoi(os.Args[2])
	}
	if len(os.Args) < 2 || runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: karpenter FILE [RUNS], --pass FILE 0, --rounds FILE SECONDS")
		os.Exit(2)
	}
	if err := run(os.Args[1], runs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
