// SPDX-License-Identifier: Apache-2.0
package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func pages(w *world) error {
	collection := w.of(configMaps)
	for i := 0; i < count; i++ {
		if _, err := collection.Create(w.ctx, configMap(fmt.Sprintf("page-%02d", i)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	seen, token := map[string]bool{}, ""
	for {
		page, err := collection.List(w.ctx, metav1.ListOptions{Limit: 7, Continue: token})
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			seen[item.GetName()] = true
		}
		token = page.GetContinue()
		if token == "" {
			break
		}
		// What is made while somebody pages through a list is not in it.
		if _, err := collection.Create(w.ctx, configMap(fmt.Sprintf("page-99-%d", len(seen))), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for i := 0; i < count; i++ {
		if !seen[fmt.Sprintf("page-%02d", i)] {
			return fmt.Errorf("page-%02d is on no page", i)
		}
	}
	for name := range seen {
		if strings.HasPrefix(name, "page-99") {
			return fmt.Errorf("%s is on a page of a list that is older", name)
		}
	}
	return nil
}
