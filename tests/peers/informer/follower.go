// SPDX-License-Identifier: Apache-2.0
package main

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const patience = time.Minute

// follower is one of client-go's informers on a line of its own, with a count of what it was told.
type follower struct {
	world    *world
	resource schema.GroupVersionResource
	line     *line
	informer cache.SharedIndexInformer
	stop     chan struct{}
	news     chan struct{} // holds one: something has happened since you last looked

	added, updated, deleted, repeated atomic.Int64
	mutex                             sync.Mutex
	alive                             map[string]string // key → version, as the handlers were told
}

// follow returns once the informer has the first state. watchSeconds > 0: its watches end after so much of the server's time.
func (w *world) follow(resource schema.GroupVersionResource, watchSeconds int) (*follower, error) {
	f := &follower{world: w, resource: resource, line: newLine(watchSeconds), stop: make(chan struct{}),
		news: make(chan struct{}, 1), alive: map[string]string{}}
	config := rest.CopyConfig(w.config)
	f.line.attach(config)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	f.informer = dynamicinformer.NewFilteredDynamicInformer(client, resource, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
	_, err = f.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { f.told(o, &f.added, true) },
		UpdateFunc: func(_, o any) { f.told(o, &f.updated, true) },
		DeleteFunc: func(o any) { f.told(o, &f.deleted, false) },
	})
	if err != nil {
		return nil, err
	}
	go f.informer.Run(f.stop)
	if !cache.WaitForCacheSync(w.ctx.Done(), f.informer.HasSynced) {
		return nil, fmt.Errorf("the informer of %s did not sync", resource.Resource)
	}
	return f, nil
}

func (f *follower) end() {
	close(f.stop)
	f.line.cut()
}

func key(o any) string {
	item := o.(*unstructured.Unstructured)
	return item.GetNamespace() + "/" + item.GetName()
}

func (f *follower) told(o any, count *atomic.Int64, lives bool) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	name := key(o)
	f.mutex.Lock()
	_, known := f.alive[name]
	if count == &f.added && known || count == &f.deleted && !known {
		f.repeated.Add(1)
	}
	if lives {
		f.alive[name] = o.(*unstructured.Unstructured).GetResourceVersion()
	} else {
		delete(f.alive, name)
	}
	count.Add(1) // under the mutex: whoever sees the state sees its count
	f.mutex.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// until waits for the condition, looking whenever there is news.
func (f *follower) until(what string, condition func() bool) error {
	deadline := time.After(patience)
	for !condition() {
		select {
		case <-f.news:
		case <-deadline:
			return fmt.Errorf("%s of %s: waited in vain; %d added, %d updated, %d deleted, %s", what, f.resource.Resource,
				f.added.Load(), f.updated.Load(), f.deleted.Load(), f.line)
		}
	}
	return nil
}

// same waits until what was told is what the server says, version by version, and then asks whether each came and went once.
func (f *follower) same() error {
	list, err := f.world.direct.Resource(f.resource).List(f.world.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	wanted := map[string]string{}
	for _, item := range list.Items {
		wanted[key(&item)] = item.GetResourceVersion()
	}
	err = f.until("the server's state", func() bool {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		return maps.Equal(f.alive, wanted)
	})
	if err == nil && f.repeated.Load() > 0 {
		err = fmt.Errorf("%d changes of %s were told twice", f.repeated.Load(), f.resource.Resource)
	}
	return err
}
