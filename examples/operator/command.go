package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const usage = `want one of
  operator [-dir DIR] [-demo]
  operator stop HOST -reason TEXT -ticket TEXT [-domain] [-action drain] [-ttl 72h]
  operator lift ID -reason TEXT
  operator report ID`

// command is what the person in the other terminal asks for.
func command(ctx context.Context, out io.Writer, name string, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return errors.New(usage)
	}
	target := args[0]
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	dir := dirFlag(flags)
	reason := flags.String("reason", "", "why, for those who ask later")
	ticket := flags.String("ticket", "", "where the request is kept")
	id := flags.String("id", "", "a name for the rule")
	domain := flags.Bool("domain", false, "the host's subdomains too")
	action := flags.String("action", "stop", "stop, drain or observe")
	ttl := flags.String("ttl", "", "how long, such as 72h; without it until a person lifts it")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	a, err := openAdmin(*dir)
	if err != nil {
		return err
	}
	switch name {
	case "stop":
		scope := "host"
		if *domain {
			scope = "domain"
		}
		rule := map[string]string{"id": *id, scope: target, "action": *action, "reason": *reason, "ticket": *ticket, "ttl": *ttl}
		var made struct{ ID string }
		if err := a.call(ctx, http.MethodPost, "/v1/rules", rule, &made); err != nil {
			return err
		}
		if err := pause(ctx, 300*time.Millisecond); err != nil { // what asks in vain meanwhile is in the report
			return err
		}
		return a.report(ctx, out, made.ID)
	case "lift":
		if err := a.call(ctx, http.MethodDelete, "/v1/rules/"+target, map[string]string{"reason": *reason}, nil); err != nil {
			return err
		}
		return a.report(ctx, out, target)
	case "report":
		return a.report(ctx, out, target)
	}
	return errors.New(usage)
}

// admin calls the endpoint of a crawl that runs.
type admin struct{ address, token string }

func openAdmin(dir string) (*admin, error) {
	var texts [2]string
	for i, name := range []string{"address", "token"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("is the crawl running? %w", err)
		}
		texts[i] = strings.TrimSpace(string(text))
	}
	return &admin{address: texts[0], token: texts[1]}, nil
}

func (a *admin) report(ctx context.Context, out io.Writer, id string) error {
	var text string
	if err := a.call(ctx, http.MethodGet, "/v1/rules/"+id+"/report", nil, &text); err != nil {
		return err
	}
	_, err := io.WriteString(out, text)
	return err
}

// call sends one request. A result of type *string takes the answer as text.
func (a *admin) call(ctx context.Context, method, path string, body, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+a.address+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Content-Type", "application/json")
	asText, wantsText := result.(*string)
	if wantsText {
		r.Header.Set("Accept", "text/plain")
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second} // no proxy between us and loopback
	defer client.CloseIdleConnections()
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(answer))
	case wantsText:
		*asText = string(answer)
		return nil
	case result == nil:
		return nil
	}
	return json.Unmarshal(answer, result)
}
