package report

import (
	"fmt"
	"log/slog"
)

// The limits that hold where Options says nothing.
const (
	DefaultKeep         = 10_000
	DefaultMaxFileBytes = 64 << 20
	DefaultKeepFiles    = 4
	DefaultMaxHosts     = 100_000
)

// Options is everything that can be said to New. The zero value is what the zero Report has: skips in memory and no file.
type Options struct {
	// Path is a file to which every skip is appended as a line of JSON. It is made, with its directory, if it is missing. Several processes
	// may write to one. Empty means that nothing is written.
	Path string
	// MaxFileBytes is the size at which the file is renamed to Path.1 and begun anew. Zero means DefaultMaxFileBytes.
	MaxFileBytes int64
	// KeepFiles is how many renamed files are kept, Path.1 being the youngest. Zero means DefaultKeepFiles, negative that none is.
	KeepFiles int
	// Keep is how many skips are kept in memory; see Report.Keep.
	Keep int
	// MaxHosts is how many hosts are kept apart, at some 700 bytes each, and up to 16 MiB more for all busy ones. Past it, the one that was quiet longest goes, and stays
	// in the sums. Zero means DefaultMaxHosts.
	MaxHosts int
	// Logger is told once when the file cannot be written. Nil means slog.Default().
	Logger *slog.Logger
}

func (o *Options) check() error {
	switch {
	case o.MaxFileBytes < 0:
		return fmt.Errorf("report: Options.MaxFileBytes %d is negative: zero means %d", o.MaxFileBytes, DefaultMaxFileBytes)
	case o.MaxHosts < 0:
		return fmt.Errorf("report: Options.MaxHosts %d is negative: zero means %d", o.MaxHosts, DefaultMaxHosts)
	}
	return nil
}
