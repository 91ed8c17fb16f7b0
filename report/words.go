package report

import "strings"

func (s Source) plain() string { return strings.ReplaceAll(string(s), "_", " ") }

func clean(s string) string { return s }
