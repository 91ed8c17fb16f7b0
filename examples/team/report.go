package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/collyetiquette/etiquette"
)

// tell prints the report, writes it as a page, and says what can be answered to the forum's owner.
func tell(out io.Writer, guard *etiquette.Guard, dir string) error {
	if err := guard.Report.WriteText(out); err != nil {
		return err
	}
	page, err := os.Create(filepath.Join(dir, "report.html"))
	if err != nil {
		return err
	}
	if err := guard.Report.WriteHTML(page); err != nil {
		_ = page.Close()
		return err
	}
	if err := page.Close(); err != nil {
		return err
	}
	for _, use := range guard.Robots.Permitted() {
		fmt.Fprintf(out, "\nby leave of its owner (%s): %d request for %s%s, which robots.txt disallows\n", use.Permit.Ticket, use.Requests, use.Host, use.Permit.Path)
	}
	if forum, err := guard.KillSwitch.Report(stopID); err == nil {
		fmt.Fprintf(out, "\nto the owner of forum.test:\n%s\n", forum)
	}
	verdict := "every promise was kept"
	if err := guard.Report.Verify(); err != nil {
		verdict = err.Error()
	}
	fmt.Fprintf(out, "self-audit: %s\nlook at %s\n", verdict, page.Name())
	return nil
}
