package check

import (
	"context"
	"net/http"
	"testing"

	"github.com/collyetiquette/etiquette/collyrobots"
)

func TestThePackSolvesTheTaskToo(t *testing.T) {
	Class(t, func(client *http.Client, origin string) collyrobots.Class {
		robots, err := collyrobots.New(collyrobots.Options{Base: client.Transport})
		if err != nil {
			t.Error(err)
			return ""
		}
		defer robots.Close()
		d, err := robots.Check(context.Background(), origin+"/")
		if err != nil {
			t.Error(err)
		}
		return d.Class
	})
}
