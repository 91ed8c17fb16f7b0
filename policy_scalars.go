package etiquette

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/identity"
)

// wordsOf are the values of types that a file writes as words. The words of one type are told apart by their whole text.
var wordsOf = map[reflect.Type]map[string]any{
	reflect.TypeFor[collyrobots.Purpose](): {"search": collyrobots.PurposeSearch, "archive": collyrobots.PurposeArchive,
		"ai-train": collyrobots.PurposeAITrain, "ai-input": collyrobots.PurposeAIInput, "other": collyrobots.PurposeOther},
	reflect.TypeFor[collyrobots.FollowRules](): {"polite": collyrobots.FollowPolite, "strict": collyrobots.FollowStrict, "all": collyrobots.FollowAll},
	reflect.TypeFor[Refusals]():                {"auto": RefusalsAuto, "skip": RefusalsSkip, "error": RefusalsError},
	reflect.TypeFor[identity.Mode]():           {"overwrite": identity.Overwrite, "refuse": identity.Refuse},
	reflect.TypeFor[identity.Form]():           {"plain": identity.Plain, "compatible": identity.Compatible},
	reflect.TypeFor[identity.Require]():        {"any": identity.AnyContact, "url": identity.URLContact, "email": identity.EmailContact, "both": identity.BothContacts},
	reflect.TypeFor[collyrobots.AfterThirtyDays](): {"stay_disallowed": collyrobots.StayDisallowed, "unavailable": collyrobots.Unavailable,
		"last_copy": collyrobots.LastCopy},
	reflect.TypeFor[time.Weekday](): {"sunday": time.Sunday, "monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday,
		"thursday": time.Thursday, "friday": time.Friday, "saturday": time.Saturday},
}

// mayBeNone are the fields whose negative value means "none", which a file writes as that word.
var mayBeNone = []string{"Delay", "MaxBlockWait", "DomainRate"}

// scalar decodes a single value. The kind of its place decides how it is read: an int64 counts bytes, an int anything else.
func (r *policyReader) scalar(n ast.Node, v reflect.Value, path string) {
	var err error
	switch text, isText := textOf(n); {
	case isGroup(n):
		err = fmt.Errorf("%s, where one value is expected", kindOf(n))
	case v.Kind() == reflect.String:
		if !isText {
			err = fmt.Errorf(`%s is no text in YAML: write it in quotes, "%s"`, text, text)
		}
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		var b bool
		b, err = readBool(n, text)
		v.SetBool(b)
	case wordsOf[v.Type()] != nil:
		var word any
		if word, err = readWord(text, wordsOf[v.Type()]); err == nil {
			v.Set(reflect.ValueOf(word))
		}
	case v.Type() == reflect.TypeFor[time.Time]():
		var t time.Time
		t, err = readEnd(text)
		v.Set(reflect.ValueOf(t))
	case text == "none" && slices.Contains(mayBeNone, path[strings.LastIndexByte(path, '.')+1:]):
		v.Set(reflect.ValueOf(-1).Convert(v.Type()))
	case v.Type() == reflect.TypeFor[time.Duration]():
		var d time.Duration
		d, err = readDuration(text)
		v.SetInt(int64(d))
	case v.Kind() == reflect.Int64:
		var size int64
		size, err = readSize(text)
		v.SetInt(size)
	case v.Kind() == reflect.Int:
		var count int
		count, err = readCount(text)
		v.SetInt(int64(count))
	case v.Kind() == reflect.Float64:
		var f float64
		f, err = readNumber(text)
		v.SetFloat(f)
	default:
		err = fmt.Errorf("it can only be set in code")
	}
	if err != nil {
		r.bad(placeOf(n), path, "%v", err)
	}
}

// textOf is the text of a scalar as it is written, and whether YAML takes it for text.
func textOf(n ast.Node) (text string, isText bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimSuffix(n.Value.Value, "\n"), true
	}
	return strings.TrimSpace(n.GetToken().Value), false
}

func isGroup(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		return true
	}
	return false
}

func readBool(n ast.Node, text string) (bool, error) {
	if b, ok := n.(*ast.BoolNode); ok {
		return b.Value, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}

func readWord(text string, words map[string]any) (any, error) {
	if w, ok := words[text]; ok {
		return w, nil
	}
	var all []string
	for w := range words {
		all = append(all, w)
	}
	slices.Sort(all)
	if best := nearest(text, all); best != "" {
		return nil, fmt.Errorf("%q is not known: did you mean %q?", text, best)
	}
	return nil, fmt.Errorf("%q is none of %s", text, strings.Join(all, ", "))
}

// readEnd reads until when something holds: an instant, or a date, which is meant to its end (UTC).
func readEnd(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.AddDate(0, 0, 1), nil
	}
	return time.Time{}, fmt.Errorf(`%q is no date: write "2026-12-31", which is meant to its end in UTC, or "2026-12-31T18:00:00Z"`, text)
}

var (
	daysForm     = regexp.MustCompile(`^([0-9]{1,5})d$`)
	durationForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([A-Za-z]+)$`)
	numberForm   = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)?$`)
)

// durationWords are what people write for the units.
var durationWords = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "S": "s", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "M": "m",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h", "H": "h", "day": "d", "days": "d", "D": "d", "msec": "ms", "millis": "ms", "milliseconds": "ms",
	"s": "s", "m": "m", "h": "h", "d": "d", "ms": "ms",
}

// readDuration reads what time.ParseDuration reads, and whole days.
func readDuration(text string) (time.Duration, error) {
	if m := daysForm.FindStringSubmatch(text); m != nil {
		days, _ := strconv.Atoi(m[1])
		return time.Duration(days) * 24 * time.Hour, nil
	}
	if numberForm.MatchString(text) {
		return 0, fmt.Errorf("%s has no unit: write %ss for seconds, %sm for minutes", text, text, text)
	}
	d, err := time.ParseDuration(text)
	switch {
	case err == nil && d < 0:
		return 0, fmt.Errorf("%q is negative", text)
	case err == nil:
		return d, nil
	}
	if m := durationForm.FindStringSubmatch(text); m != nil && durationWords[m[2]] != "" {
		return 0, fmt.Errorf("%q is no length of time: write %s%s", text, m[1], durationWords[m[2]])
	}
	return 0, fmt.Errorf("%q is no length of time: write a number with its unit, such as 500ms, 2s, 5m, 24h, 30d", text)
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,15})(?:\.([0-9]{1,6}))?(B|kB|KB|MB|GB|KiB|MiB|GiB)?$`)

var sizeUnits = map[string]int64{"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

// readSize reads a number of bytes: 512, 10MB (10,000,000) or 512KiB (524,288).
func readSize(text string) (int64, error) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is no number of bytes: write 512, or a number with its unit, such as 10MB or 512KiB", text)
	}
	unit := sizeUnits[m[3]]
	number := m[1]
	if m[2] != "" {
		number += "." + m[2]
	}
	f, err := strconv.ParseFloat(number, 64)
	if size := f * float64(unit); err != nil || size >= 1<<53 || size != math.Trunc(size) {
		return 0, fmt.Errorf("%q is no whole number of bytes, or too many", text)
	}
	return int64(f * float64(unit)), nil
}

func readCount(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number from 0 to %d", text, math.MaxInt32)
	}
	return int(n), nil
}

func readNumber(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !numberForm.MatchString(text) {
		return 0, fmt.Errorf("%q is no number: write one such as 4 or 0.5", text)
	}
	return f, nil
}
