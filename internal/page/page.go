package page

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"time"

	"github.com/collyetiquette/etiquette/collyrobots"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
	"github.com/collyetiquette/etiquette/throttle"
)

// Crawl is what the page shows. All fields but the last two must be set.
type Crawl struct {
	Report     *report.Report
	Robots     *collyrobots.Robots
	Throttle   *throttle.Throttle
	KillSwitch *killswitch.Switch
	UserAgent  string

	// Token says that the kill switch has a token, so that hosts can be stopped here.
	Token bool
	// BehindProxy is killswitch.Options.BehindProxy.
	BehindProxy bool
}

//go:embed assets
var assets embed.FS

// handler answers for one crawl.
type handler struct {
	crawl     Crawl
	admin     admin
	roster    roster
	templates *template.Template
}

// New is the page of a crawl. It may be mounted under any path that ends in "/", with http.StripPrefix: all links are relative.
func New(c Crawl) http.Handler {
	h := &handler{crawl: c, admin: admin{c.KillSwitch.Handler()}, roster: roster{report: c.Report}}
	// Parsed here and not in a variable, so that a program without the page pays nothing for it. The assets are part of this package.
	h.templates = template.Must(template.New("").Funcs(template.FuncMap{
		"number": number, "several": several, "clean": clean, "span": span, "time": clock, "bytes": byteSize, "count": count,
	}).ParseFS(assets, "assets/*.html"))

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.getHosts)
	mux.HandleFunc("GET /host", h.getHost)
	mux.HandleFunc("GET /skips", h.getSkips)
	mux.HandleFunc("GET /ask", h.getAsk)
	mux.HandleFunc("POST /fetch", h.postFetch)
	mux.HandleFunc("GET /robots", h.getRobots)
	mux.HandleFunc("GET /stops", h.getStops)
	mux.HandleFunc("POST /stop", h.postStop)
	mux.HandleFunc("POST /lift", h.postLift)
	mux.HandleFunc("GET /page.css", asset("page.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /page.js", asset("page.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /icon.svg", asset("icon.svg", "image/svg+xml"))
	var browsers http.CrossOriginProtection
	return h.guarded(browsers.Handler(bounded(mux)))
}

// asset serves one file. Its type is said, since that which the machine has for a name may be any.
func asset(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		http.ServeFileFS(w, r, assets, "assets/"+name)
	}
}

// frame is what all pages have in common.
type frame struct {
	Title     string
	Here      string // which page it is, for the navigation
	UserAgent string
	Now       time.Time
	Live      int64 // after so many milliseconds the script looks for news; 0: never
	Stops     int   // rules in force
	Token     bool
}

func (h *handler) frame(here, title string) frame {
	return frame{
		Title: title, Here: here, UserAgent: short(h.crawl.UserAgent, 200), Now: time.Now(), Live: 2000,
		Stops: len(h.crawl.KillSwitch.Rules()), Token: h.crawl.Token,
	}
}

// NowMillis is the server's clock for the script, whose own may differ.
func (f frame) NowMillis() int64 { return f.Now.UnixMilli() }

// show renders a page whole before the first octet is sent.
func (h *handler) show(w http.ResponseWriter, status int, name string, view any) {
	var b bytes.Buffer
	if err := h.templates.ExecuteTemplate(&b, name, view); err != nil {
		http.Error(w, "the page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the reader is gone
}

// problem is a page that says what is wrong with the call.
func (h *handler) problem(w http.ResponseWriter, status int, text string) {
	f := h.frame("", "That does not work")
	f.Live = 0
	h.show(w, status, "problem", struct {
		frame
		Text string
	}{f, text})
}
