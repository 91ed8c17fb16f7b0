package testweb_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/collyetiquette/etiquette/internal/testweb"
)

func ExampleNewMemory() {
	web := testweb.NewMemory()
	defer web.Close()
	shop := web.Host("shop.test")
	shop.Robots("User-agent: *\nDisallow: /cart\n")
	shop.Page("/", testweb.Links("/a", "/cart"))
	shop.Answer("/a", testweb.Answer{Status: 503}, testweb.Answer{Body: "well again", Delay: time.Millisecond})

	client := web.Client()
	for _, path := range []string{"/robots.txt", "/", "/a", "/a"} {
		resp, err := client.Get("http://shop.test" + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	for _, line := range web.Log() {
		fmt.Println(line)
	}
	// Output:
	// 200
	// 200
	// 503
	// 200
	// GET http://shop.test/robots.txt
	// GET http://shop.test/
	// GET http://shop.test/a
	// GET http://shop.test/a
}

func ExampleStart() {
	web, err := testweb.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer web.Close()
	web.Host("shop.test").Page("/", "<p>hello</p>")

	resp, err := http.Get("https://shop.test/")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode, web.Log())
	// Output: 200 [GET https://shop.test/]
}
