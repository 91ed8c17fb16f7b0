package main

import (
	"context"
	"os"
	"path/filepath"
)

const (
	noStops   = `{"version": 1, "rules": []}` + "\n"
	stopForum = `{"version": 1, "rules": [
  {"id": "` + stopID + `", "host": "forum.test", "reason": "the owner asked by mail", "ticket": "OPS-17"}]}` + "\n"
	stopID = "mail-17"
)

// answerMail is the person who reads that a forum's owner wants to be left alone, and writes it into the stop file.
func answerMail(ctx context.Context, mail <-chan struct{}, dir string) error {
	select {
	case <-ctx.Done():
		return nil
	case <-mail:
	}
	// Replaced as a whole, so that nobody reads half of it.
	path := filepath.Join(dir, "stops.json")
	if err := os.WriteFile(path+".new", []byte(stopForum), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
