package throttle_test

import (
	"fmt"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/collyetiquette/etiquette/internal/testweb"
	"github.com/collyetiquette/etiquette/throttle"
)

func ExampleAttach() {
	web, err := testweb.Start() // so that the example runs offline
	if err != nil {
		fmt.Println(err)
		return
	}
	defer web.Close()

	c := colly.NewCollector(colly.Async())
	t, err := throttle.Attach(c,
		throttle.LimitRule{DomainGlob: "slow.test", Delay: 200 * time.Millisecond},
		throttle.LimitRule{DomainGlob: "*", Delay: 50 * time.Millisecond}, // each other host by itself
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	for _, host := range []string{"slow.test", "a.test", "b.test"} {
		web.Host(host).Page("/*", "<p>hello</p>")
		for page := range 3 {
			c.Visit(fmt.Sprintf("http://%s/%d", host, page))
		}
	}
	c.Wait()

	for _, host := range []string{"slow.test", "a.test", "b.test"} {
		s, _ := t.Snapshot(host)
		fmt.Println(host, s.Interval, s.Source, "kept:", s.SmallestGap >= s.Interval)
	}
	// Output:
	// slow.test 200ms rule kept: true
	// a.test 50ms rule kept: true
	// b.test 50ms rule kept: true
}
