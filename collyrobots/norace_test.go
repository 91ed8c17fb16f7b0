//go:build !race

package collyrobots

const raceEnabled = false
