//go:build !race

package etiquette_test

const raceEnabled = false
