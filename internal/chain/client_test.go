package chain

import (
	"errors"
	"net/http"
	"slices"
	"testing"
)

func TestTheLayersOfATransportCanBeTakenFromIt(t *testing.T) {
	a, b := passing(KillSwitch), passing(Throttle)
	if got, want := LayersOf(Transport(nil, Config{}, b, a)), []Layer{a, b}; !slices.Equal(got, want) {
		t.Errorf("LayersOf = %v, want %v", got, want)
	}
	if got := LayersOf(http.DefaultTransport); got != nil {
		t.Errorf("LayersOf of a transport that is none of ours = %v, want nil", got)
	}
}

func TestJoinPutsLayersInTheirPlaces(t *testing.T) {
	kill, robots, throttle := passing(KillSwitch), passing(Robots), passing(Throttle)
	c := Alone(nil, Config{}, robots)
	if err := c.Join(throttle, robots, kill); err != nil {
		t.Fatalf("Join = %v", err)
	}
	if got, want := c.Layers(), []Layer{kill, robots, throttle}; !slices.Equal(got, want) {
		t.Errorf("Layers = %v, want %v", got, want)
	}
	var taken *TakenError
	if err := c.Join(passing(Guard), passing(Throttle)); !errors.As(err, &taken) || taken.Layer != throttle {
		t.Errorf("Join of a second throttle = %v, want a *TakenError that has the first", err)
	}
	if got := c.Layer(Guard); got != nil {
		t.Errorf("a Join that failed left %v", got)
	}
}
