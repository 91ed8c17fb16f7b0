package etiquette

import (
	"errors"
	"net/http"

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

// reportSent is called when a hop is handed to the base, and the answer or the failure has come.
func (g *Guard) reportSent(*chain.Hop, *http.Response, error) {}

// closeReport writes what the report holds back. r may be nil.
func closeReport(*report.Report) error { return nil }
