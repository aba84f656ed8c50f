// SPDX-License-Identifier: Apache-2.0
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// line is the wire between an informer and the server: it counts what passes, can be cut, and can be held closed.
type line struct {
	watchSeconds                       int
	lists, watches, bookmarks, expired atomic.Int64

	mutex sync.Mutex
	open  map[net.Conn]bool
	held  chan struct{} // closed when new connections may be made; nil: they may
}

func newLine(watchSeconds int) *line {
	return &line{watchSeconds: watchSeconds, open: map[net.Conn]bool{}}
}

func (l *line) attach(config *rest.Config) {
	config.Dial = l.dial
	config.Wrap(func(below http.RoundTripper) http.RoundTripper { return counter{l, below} })
}

func (l *line) String() string {
	return fmt.Sprintf("%d lists, %d watches, %d bookmarks, %d times 410", l.lists.Load(), l.watches.Load(),
		l.bookmarks.Load(), l.expired.Load())
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mutex.Lock()
	held := l.held
	l.mutex.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		l.mutex.Lock()
		l.open[connection] = true
		l.mutex.Unlock()
	}
	return connection, err
}

// cut breaks every connection, in the middle of whatever it carries.
func (l *line) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for connection := range l.open {
		connection.Close()
	}
	clear(l.open)
}

// hold cuts, and lets nothing through before the function that it returns is called.
func (l *line) hold() (release func()) {
	held := make(chan struct{})
	l.mutex.Lock()
	l.held = held
	l.mutex.Unlock()
	l.cut()
	return func() {
		l.mutex.Lock()
		l.held = nil
		l.mutex.Unlock()
		close(held)
	}
}

type counter struct {
	line  *line
	below http.RoundTripper
}

func (c counter) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	watch := query.Get("watch") == "true"
	if !watch {
		c.line.lists.Add(1)
	} else {
		c.line.watches.Add(1)
		if c.line.watchSeconds > 0 {
			query.Set("timeoutSeconds", strconv.Itoa(c.line.watchSeconds))
			request.URL.RawQuery = query.Encode()
		}
	}
	response, err := c.below.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusGone {
		c.line.expired.Add(1)
	}
	if err == nil && watch {
		response.Body = &watchBody{ReadCloser: response.Body, line: c.line}
	}
	return response, err
}

// watchBody reads along.
type watchBody struct {
	io.ReadCloser
	line *line
	rest []byte
}

func (b *watchBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.rest = append(b.rest, into[:n]...)
	for {
		event, rest, whole := bytes.Cut(b.rest, []byte("\n"))
		if !whole {
			return n, err
		}
		b.rest = rest
		switch {
		case bytes.Contains(event, []byte(`"type":"BOOKMARK"`)):
			b.line.bookmarks.Add(1)
		case bytes.Contains(event, []byte(`"type":"ERROR"`)) && bytes.Contains(event, []byte(`"code":410`)):
			b.line.expired.Add(1)
		}
	}
}
