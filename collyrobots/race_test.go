//go:build race

package collyrobots

// raceEnabled: the race detector makes pools forget and everything slow.
const raceEnabled = true
