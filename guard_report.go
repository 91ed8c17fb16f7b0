package etiquette

import (
	"errors"

	"github.com/collyetiquette/etiquette/internal/chain"
	"github.com/collyetiquette/etiquette/report"
)

// This file is where the Guard meets the report: it is made here, each request that goes out is pushed here, and it is closed here.

// openReport makes the report of a Policy.
func openReport(p *Policy) (*report.Report, error) {
	if p.ReportFile != "" {
		return nil, errors.New("etiquette: Policy.ReportFile: the report of this version is kept in memory only")
	}
	return new(report.Report), nil
}

// reportSending is called for each hop that has passed all parts, robots.txt included, directly before it goes to the base. Hop.OnEnd tells how it ends.
func (g *Guard) reportSending(*chain.Hop) {}

// closeReport writes what the report holds back. r may be nil.
func closeReport(*report.Report) error { return nil }
