package collyrobots

import "github.com/collyetiquette/etiquette/internal/chain"

// Alone is the chain through which robots.txt is asked for while there is no collector to ask through. The Guard puts its other parts into it, so
// that a Check before the first Attach goes out under the declared name, in its turn, and not to a host that is stopped.
func (r layer) Alone() *chain.Chain { return r.alone }
