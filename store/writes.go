package store

import (
	"context"
	"slices"
	"sync"
)

// Writes are the workspaces in which files of records were written. It may be used by several goroutines.
type Writes struct {
	mu    sync.Mutex
	roots []string
}

type writesKey struct{}

// NoteWrites is a context whose writes are noted.
func NoteWrites(ctx context.Context) (context.Context, *Writes) {
	w := &Writes{}
	return context.WithValue(ctx, writesKey{}, w), w
}

// Take returns the roots of the workspaces that were written to since it was called last.
func (w *Writes) Take() (roots []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	roots, w.roots = w.roots, nil
	return roots
}

// noteWrite notes that files of the workspace at a root were written.
func noteWrite(ctx context.Context, root string) {
	w, ok := ctx.Value(writesKey{}).(*Writes)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.roots, root) {
		w.roots = append(w.roots, root)
	}
}
