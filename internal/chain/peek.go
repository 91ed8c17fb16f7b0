package chain

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/gocolly/colly/v2"
)

// Colly has no getter for the client that was set, and what was set before Attach must not be lost in silence. This file alone looks inside a
// Collector, read-only. It first tries itself on a scratch collector; a layout it does not know is an error of Attach.

type layout struct {
	backend, client, rules int // field numbers
	err                    error
}

var collyLayout = sync.OnceValue(func() layout {
	col := reflect.TypeFor[colly.Collector]()
	backend, ok := col.FieldByName("backend")
	if !ok || backend.Type.Kind() != reflect.Pointer || backend.Type.Elem().Kind() != reflect.Struct {
		return unknownLayout("Collector.backend")
	}
	client, ok := backend.Type.Elem().FieldByName("Client")
	if !ok || client.Type != reflect.TypeFor[*http.Client]() {
		return unknownLayout("httpBackend.Client")
	}
	rules, ok := backend.Type.Elem().FieldByName("LimitRules")
	if !ok || rules.Type != reflect.TypeFor[[]*colly.LimitRule]() {
		return unknownLayout("httpBackend.LimitRules")
	}
	l := layout{backend: backend.Index[0], client: client.Index[0], rules: rules.Index[0]}

	scratch := &colly.Collector{}
	scratch.Init()
	own := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	scratch.SetClient(own)
	if l.clientOf(scratch) != own {
		return unknownLayout("the client that SetClient sets")
	}
	if err := scratch.Limit(&colly.LimitRule{DomainGlob: "*"}); err != nil || l.rulesOf(scratch) != 1 {
		return unknownLayout("the rules that Limit sets")
	}
	return l
})

func unknownLayout(what string) layout {
	return layout{err: fmt.Errorf("etiquette: this version of Colly is not known: %s is not where it was: use one that the CHANGELOG names", what)}
}

// clientOf is the client that the collector would use now, or nil.
func (l *layout) clientOf(c *colly.Collector) *http.Client {
	backend := reflect.ValueOf(c).Elem().Field(l.backend)
	if backend.IsNil() {
		return nil
	}
	return (*http.Client)(backend.Elem().Field(l.client).UnsafePointer())
}

// usable reports whether c was made by NewCollector or Init.
func usable(c *colly.Collector) bool {
	l := collyLayout()
	return l.err == nil && !reflect.ValueOf(c).Elem().Field(l.backend).IsNil()
}

func (l *layout) rulesOf(c *colly.Collector) int {
	backend := reflect.ValueOf(c).Elem().Field(l.backend)
	if backend.IsNil() {
		return 0
	}
	return backend.Elem().Field(l.rules).Len()
}

func clientOf(c *colly.Collector) *http.Client {
	l := collyLayout()
	if l.err != nil {
		return nil
	}
	return l.clientOf(c)
}

// LimitRules is how many of Colly's own LimitRules the collector has.
func LimitRules(c *colly.Collector) int {
	l := collyLayout()
	if l.err != nil || c == nil {
		return 0
	}
	return l.rulesOf(c)
}

// intact reports whether requests of col still lead into this chain's front.
func (c *Chain) intact(col *colly.Collector) bool {
	client := clientOf(col)
	if client == nil || client != c.client {
		return false
	}
	front, ok := client.Transport.(*http.Transport)
	return ok && front == c.front
}

// failsOnDeadContext reports whether the transport that col has now is one that sends nothing on an ended context. A foreign RoundTripper
// may not look.
func failsOnDeadContext(col *colly.Collector) bool {
	client := clientOf(col)
	if client == nil {
		return false
	}
	switch client.Transport.(type) {
	case nil:
		return http.DefaultTransport == originalDefault
	case *http.Transport:
		return true
	}
	return false
}

// baseField is where a transport of the user's own belongs, in errors: of whichever the parts are made with.
const baseField = "Policy.Base or Options.Base"

// checkBefore says what was set on the collector before Attach and where it belongs instead. base is the Base that was given.
func checkBefore(col *colly.Collector, base http.RoundTripper) (*http.Client, error) {
	l := collyLayout()
	if l.err != nil {
		return nil, l.err
	}
	client := l.clientOf(col)
	switch {
	case client == nil:
		return nil, errors.New("etiquette: the collector has no client: make it with colly.NewCollector")
	case client == http.DefaultClient || client.CheckRedirect == nil:
		return client, errors.New("etiquette: SetClient was called before Attach: put that client's Transport into " + baseField + ", leave SetClient out, " +
			"and set jar and timeout with SetCookieJar and SetRequestTimeout below Attach")
	case client.Transport == nil:
		return client, nil
	}
	t, ok := client.Transport.(*http.Transport)
	if ok && t != nil && isFailedFront(col, t) {
		if err := deadOf(col.Context).displaced; err != nil && base == nil {
			return client, err
		}
		return client, nil // an Attach that failed put it there, and its cause is mended
	}
	if ok && t != nil && t.Proxy != nil && t.DisableKeepAlives {
		return client, errors.New("etiquette: a proxy was set before Attach: move SetProxy or SetProxyFunc below Attach " +
			"(or, if it was WithTransport, put that transport into " + baseField + ")")
	}
	return client, errors.New("etiquette: WithTransport was called before Attach: leave it out and put that transport into " + baseField)
}
