// SPDX-License-Identifier: Apache-2.0
package main

import (
	"fmt"
	"math/rand"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const (
	count = 20
	// More than the minicluster keeps of one kind's changes (src/kubesim/store/limits.h).
	moreThanItsLog = 33000
	// Of the server's time, which runs sixty times as fast: bookmarks come once a minute.
	watchSeconds = 150
)

func everyChange(w *world) error {
	for _, kind := range []struct {
		resource schema.GroupVersionResource
		// exact: nobody but this story changes these.
		exact bool
		make  func(name string) *unstructured.Unstructured
	}{
		{configMaps, true, configMap},
		{nodePools, true, func(name string) *unstructured.Unstructured {
			class := object{"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
			template := object{"spec": object{"nodeClassRef": class, "requirements": []any{}}}
			return a("karpenter.sh/v1", "NodePool", name, object{"spec": object{"template": template}})
		}},
		{nodes, false, func(name string) *unstructured.Unstructured { return a("v1", "Node", name, nil) }},
		{pods, false, func(name string) *unstructured.Unstructured {
			containers := []any{object{"name": "a", "image": "pause"}}
			return a("v1", "Pod", name, object{"spec": object{"containers": containers}})
		}},
	} {
		f, err := w.follow(kind.resource, 0)
		if err != nil {
			return err
		}
		defer f.end()
		before := f.added.Load()
		each := func(what string, do func(name string) error) error {
			for i := 0; i < count; i++ {
				if err := do(fmt.Sprintf("peer-%d", i)); err != nil {
					return fmt.Errorf("%s: %w", what, err)
				}
			}
			return nil
		}
		collection := w.of(kind.resource)
		if err := each("create", func(name string) error {
			_, err := collection.Create(w.ctx, kind.make(name), metav1.CreateOptions{})
			return err
		}); err != nil {
			return err
		}
		if err := each("patch", func(name string) error {
			patch := []byte(`{"metadata":{"annotations":{"a":"b"}}}`)
			_, err := collection.Patch(w.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		}); err != nil {
			return err
		}
		if err := f.same(); err != nil {
			return err
		}
		now := int64(0)
		if err := each("delete", func(name string) error {
			return collection.Delete(w.ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now})
		}); err != nil {
			return err
		}
		if err := f.same(); err != nil {
			return err
		}
		added, updated, deleted := f.added.Load()-before, f.updated.Load(), f.deleted.Load()
		if added != count || deleted != count || updated < count || kind.exact && updated != count {
			return fmt.Errorf("%s: %d added, %d updated, %d deleted", kind.resource.Resource, added, updated, deleted)
		}
		if lists := f.line.lists.Load(); w.byWatch && lists > 0 || !w.byWatch && lists != 1 {
			return fmt.Errorf("%s: %s", kind.resource.Resource, f.line)
		}
	}
	return nil
}

// churn makes random changes to a few config maps until it is enough.
func (w *world) churn(enough func() bool) error {
	random := rand.New(rand.NewSource(1))
	deadline := time.Now().Add(patience)
	collection := w.of(configMaps)
	for i := 0; !enough(); i++ {
		if time.Now().After(deadline) {
			return fmt.Errorf("it is not enough after %d changes", i)
		}
		// Refusals are part of it: what is there already is changed, what is not there is not deleted.
		name := fmt.Sprintf("churn-%d", random.Intn(30))
		if random.Intn(3) == 0 {
			_ = collection.Delete(w.ctx, name, metav1.DeleteOptions{})
		} else if _, err := collection.Create(w.ctx, configMap(name), metav1.CreateOptions{}); err != nil {
			if err := w.change(name, i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) change(name string, i int) error {
	patch := []byte(fmt.Sprintf(`{"data":{"a":"%d"}}`, i))
	_, err := w.of(configMaps).Patch(w.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func endingWatches(w *world) error {
	f, err := w.follow(configMaps, watchSeconds)
	if err != nil {
		return err
	}
	defer f.end()
	if err := w.churn(func() bool { return f.line.watches.Load() >= 4 }); err != nil {
		return err
	}
	if err := f.same(); err != nil {
		return err
	}
	if f.line.lists.Load() > 1 || f.line.expired.Load() > 0 || f.line.bookmarks.Load() < 3 {
		return fmt.Errorf("one list, no 410 and some bookmarks are wanted: %s", f.line)
	}
	return nil
}

func brokenConnections(w *world) error {
	f, err := w.follow(configMaps, 0)
	if err != nil {
		return err
	}
	defer f.end()
	for i := int64(2); i < 5; i++ {
		changes := 0
		if err := w.churn(func() bool { changes++; return changes > 50 }); err != nil {
			return err
		}
		f.line.cut()
		if err := w.churn(func() bool { return f.line.watches.Load() >= i }); err != nil {
			return err
		}
	}
	if err := f.same(); err != nil {
		return err
	}
	if f.line.lists.Load() > 1 || f.line.expired.Load() > 0 {
		return fmt.Errorf("one list and no 410 are wanted: %s", f.line)
	}
	return nil
}

func forgottenVersion(w *world) error {
	if _, err := w.of(configMaps).Create(w.ctx, configMap("busy"), metav1.CreateOptions{}); err != nil {
		return err
	}
	f, err := w.follow(configMaps, 0)
	if err != nil {
		return err
	}
	defer f.end()
	// A watch that has shown something is taken up where it stood; one that has not is given up for a list.
	if err := w.change("busy", -1); err != nil {
		return err
	}
	if err := f.until("a first change", func() bool { return f.updated.Load() > 0 }); err != nil {
		return err
	}
	release := f.line.hold()
	const writers = 8
	var wait sync.WaitGroup
	failures := make(chan error, writers)
	for writer := 0; writer < writers; writer++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := writer; i < moreThanItsLog; i += writers {
				if err := w.change("busy", i); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	wait.Wait()
	release()
	select {
	case err := <-failures:
		return err
	default:
	}
	if err := w.of(configMaps).Delete(w.ctx, "busy", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := f.same(); err != nil {
		return err
	}
	if f.line.expired.Load() == 0 {
		return fmt.Errorf("a 410 is wanted: %s", f.line)
	}
	return nil
}
