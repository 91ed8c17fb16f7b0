package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// grid is a table of text. A column whose head begins with a space is aligned to the right.
type grid struct {
	head []string
	rows []gridRow
}

type gridRow struct {
	cells []string
	below []string // lines under it, indented
}

func (g *grid) add(cells ...string) *gridRow {
	g.rows = append(g.rows, gridRow{cells: cells})
	return &g.rows[len(g.rows)-1]
}

// write writes the table; what is empty in it is shown as a dash.
func (g *grid) write(w io.Writer) {
	widths := make([]int, len(g.head))
	for i, h := range g.head {
		widths[i] = utf8.RuneCountInString(strings.TrimSpace(h))
		for _, r := range g.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cells[i]))
		}
	}
	g.line(w, widths, g.head)
	for _, r := range g.rows {
		g.line(w, widths, r.cells)
		for _, text := range r.below {
			fmt.Fprintf(w, "    %s\n", text)
		}
	}
}

func (g *grid) line(w io.Writer, widths []int, cells []string) {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		if cell = strings.TrimSpace(cell); cell == "" {
			cell = "-"
		}
		pad := strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(cell), 0))
		if strings.HasPrefix(g.head[i], " ") {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
}
