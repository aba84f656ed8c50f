// client-go's own informer against the minicluster: it must list, watch, resume and see every change once.
//
//	informer KUBECONFIG
//
// SPDX-License-Identifier: Apache-2.0
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const count = 50

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL", err)
		os.Exit(1)
	}
}

// expect reads n events from the channel, or fails after half a minute.
func expect(what string, events <-chan string, n int) {
	deadline := time.After(30 * time.Second)
	for i := 0; i < n; i++ {
		select {
		case <-events:
		case <-deadline:
			check(fmt.Errorf("%s: %d of %d events", what, i, n))
		}
	}
	fmt.Println("ok  ", what, n)
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	check(err)
	config.QPS, config.Burst = 1000, 1000
	client, err := kubernetes.NewForConfig(config)
	check(err)
	added, updated, deleted := make(chan string, 1000), make(chan string, 1000), make(chan string, 1000)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { added <- o.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, o any) { updated <- o.(*corev1.ConfigMap).Name },
		DeleteFunc: func(any) { deleted <- "" },
	})
	check(err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		check(fmt.Errorf("the informer did not sync"))
	}
	maps := client.CoreV1().ConfigMaps("default")
	for i := 0; i < count; i++ {
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("peer-%d", i)}}, metav1.CreateOptions{})
		check(err)
	}
	expect("added", added, count)
	for i := 0; i < count; i++ {
		_, err := maps.Patch(ctx, fmt.Sprintf("peer-%d", i), types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
		check(err)
	}
	expect("updated", updated, count)
	page, err := maps.List(ctx, metav1.ListOptions{Limit: 7})
	check(err)
	if len(page.Items) != 7 || page.Continue == "" {
		check(fmt.Errorf("a page of 7 has %d items, continue %q", len(page.Items), page.Continue))
	}
	for i := 0; i < count; i++ {
		check(maps.Delete(ctx, fmt.Sprintf("peer-%d", i), metav1.DeleteOptions{}))
	}
	expect("deleted", deleted, count)
}
