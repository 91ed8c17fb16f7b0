package collyrobots

import (
	"context"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// storeTime is how long a store may take. Requests wait for it.
const storeTime = 10 * time.Second

// load asks the store; nil: nothing there.
func (r *Robots) load(ctx context.Context, o origin.Origin) *state {
	if r.options.Store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	e, ok, err := r.options.Store.Get(ctx, o.String())
	if err != nil {
		if ctx.Err() == nil || context.Cause(ctx) == context.DeadlineExceeded {
			r.warnStore(err)
		}
		return nil
	}
	if !ok || e.Origin != o.String() {
		return nil
	}
	return stateOf(e, &r.options)
}

// keep gives st to the store. It is not broken off when the fetch's own context ends: the request has been made, and the next process should
// know what came of it.
func (r *Robots) keep(ctx context.Context, o origin.Origin, st *state) {
	if r.options.Store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if err := r.options.Store.Put(ctx, st.entry(o.String())); err != nil {
		r.warnStore(err)
	}
}

func (r *Robots) warnStore(err error) {
	if !r.storeWarned.Swap(true) {
		r.log().Warn("collyrobots: Options.Store failed; memory alone is used where it does", "err", err)
	}
}
