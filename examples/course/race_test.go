//go:build race

package course

const raceEnabled = true
