package identity

import (
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/internal/token"
)

// build makes the User-Agent from the parts in o.
func build(o *Options) (string, error) {
	if !token.Valid(o.Product) || len(o.Product) < minToken || len(o.Product) > maxToken {
		text := invalidToken(&reading{token: o.Product, given: true})
		return "", invalid("Options.Product", o.Product, Problem{CodeTokenInvalid, text})
	}
	name := o.Product
	if o.Version != "" {
		if tokenLength(o.Version) != len(o.Version) {
			return "", invalid("Options.Version", o.Version, Problem{CodeSyntax, "a version holds no spaces, slashes or brackets"})
		}
		name += "/" + o.Version
	}
	contact, err := buildContact(o)
	if err != nil {
		return "", err
	}
	suffix := ""
	for i, product := range o.products() {
		if n := productLength(product); n == 0 || n != len(product) {
			field := fmt.Sprintf("Options.Suffix[%d]", i)
			return "", invalid(field, product, Problem{CodeGrammar, "it is not a product such as colly/2.3.0"})
		}
		suffix += " " + product
	}
	switch {
	case o.Form == Compatible && contact != "":
		return "Mozilla/5.0 (compatible; " + name + "; " + contact + ")" + suffix, nil
	case o.Form == Compatible:
		return "Mozilla/5.0 (compatible; " + name + ")" + suffix, nil
	case contact != "":
		return name + " (" + contact + ")" + suffix, nil
	}
	return name + suffix, nil
}

func buildContact(o *Options) (string, error) {
	var parts []string
	if o.ContactURL != "" {
		page, problem := contactPage(o.ContactURL)
		if problem != nil {
			return "", invalid("Options.ContactURL", o.ContactURL, *problem)
		}
		parts = append(parts, "+"+page)
	}
	if o.ContactEmail != "" {
		address, problem := mailbox(o.ContactEmail)
		if problem != nil {
			return "", invalid("Options.ContactEmail", o.ContactEmail, *problem)
		}
		parts = append(parts, "mailto:"+address)
	}
	return strings.Join(parts, "; "), nil
}

// contactPage brings the URL of a page into a form that fits into a comment: ASCII, and without the characters that end a contact.
func contactPage(raw string) (string, *Problem) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Host == "" {
		return "", &Problem{CodeNoContact, "it is not the https URL of a page about the crawler"}
	}
	key, err := origin.HostKey(u)
	if err != nil {
		return "", &Problem{CodeNoContact, "its host is none that can be looked up"}
	}
	if !isASCII(u.Host) {
		u.Host = key + portOf(u)
	}
	return escapeComment.Replace(u.String()), nil
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return ":" + p
	}
	return ""
}

var escapeComment = strings.NewReplacer("(", "%28", ")", "%29", ";", "%3B", ",", "%2C", `\`, "%5C", " ", "%20", "|", "%7C")

// products are what follows the crawler's own name.
func (o *Options) products() []string {
	if o.Suffix != nil || o.Form == Compatible {
		return o.Suffix
	}
	return []string{collyProduct()}
}

// builtWith is the version of Colly that is named where the program does not say which one it was built with, as in tests.
const builtWith = "2.3.0"

var collyProduct = sync.OnceValue(func() string {
	version := builtWith
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if v, ok := strings.CutPrefix(m.Version, "v"); ok && m.Path == "github.com/gocolly/colly/v2" && tokenLength(v) == len(v) {
				version = v
			}
		}
	}
	return "colly/" + version
})
