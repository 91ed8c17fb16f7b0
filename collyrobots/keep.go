package collyrobots

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
)

const (
	// storeTime is how long a store may take. Requests wait for it.
	storeTime = 10 * time.Second
	// mostStuck is how many calls of a store may go on beyond that: each keeps a goroutine.
	mostStuck = 100
)

var (
	errStoreSlow  = errors.New("it did not answer within 10s")
	errStoreStuck = errors.New("100 calls of it have not come back")
)

// storeCall is one call of a store. It comes back when storeTime is over or ctx ends, even if the store does not, and a panic is an error.
func storeCall[T any](ctx context.Context, stuck *atomic.Int32, call func(context.Context) (T, error)) (T, error) {
	var none T
	if stuck.Load() >= mostStuck {
		return none, errStoreStuck
	}
	ctx, cancel := context.WithTimeoutCause(ctx, storeTime, errStoreSlow)
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	stuck.Add(1)
	go func() {
		defer cancel()
		defer stuck.Add(-1)
		res := result{err: errBrokenOff}
		defer func() { done <- res }()
		defer catch(&res.err)
		res.value, res.err = call(ctx)
	}()
	select {
	case res := <-done:
		return res.value, res.err
	case <-ctx.Done():
	}
	select {
	case res := <-done: // both came at once
		return res.value, res.err
	default:
		return none, context.Cause(ctx)
	}
}

// load asks the store; nil: nothing there.
func (r *Robots) load(ctx context.Context, o origin.Origin) *state {
	if r.options.Store == nil {
		return nil
	}
	e, err := storeCall(ctx, &r.storeCalls, func(ctx context.Context) (*Entry, error) {
		e, ok, err := r.options.Store.Get(ctx, o.String())
		if !ok || e.Origin != o.String() {
			return nil, err
		}
		return &e, err
	})
	if err != nil {
		if ctx.Err() == nil {
			r.warnStore(err)
		}
		return nil
	}
	if e == nil {
		return nil
	}
	return stateOf(*e, &r.options)
}

// keep gives st to the store. It is not broken off when the fetch's own context ends: the request has been made, and the next process should
// know what came of it.
func (r *Robots) keep(ctx context.Context, o origin.Origin, st *state) {
	if r.options.Store == nil {
		return
	}
	_, err := storeCall(context.WithoutCancel(ctx), &r.storeCalls, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, r.options.Store.Put(ctx, st.entry(o.String()))
	})
	if err != nil {
		r.warnStore(err)
	}
}

// unkeep makes the store forget an origin.
func (r *Robots) unkeep(ctx context.Context, o origin.Origin) error {
	if r.options.Store == nil {
		return nil
	}
	_, err := storeCall(ctx, &r.storeCalls, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, r.options.Store.Delete(ctx, o.String())
	})
	return err
}

func (r *Robots) warnStore(err error) {
	if !r.storeWarned.Swap(true) {
		r.log().Warn("collyrobots: Options.Store failed; memory alone is used where it does", "err", err)
	}
}
