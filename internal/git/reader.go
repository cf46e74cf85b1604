package git

import (
	"context"
	"io"
)

// Reader reads contents one after the other by the names that Objects.Blobs takes, with one process of git, which is
// started for the first of them. It must be closed. It is for one goroutine.
type Reader struct {
	repo *Repo
	ctx  context.Context
	git  *process
	asks *io.PipeWriter
}

// Reader returns a reader of the repository's contents.
func (o Objects) Reader(ctx context.Context) *Reader { return &Reader{repo: o.repo, ctx: ctx} }

// Blob reads a content. Of one with more than limit bytes only the size is read.
func (r *Reader) Blob(name string, limit int64) (Blob, error) {
	if r.git == nil {
		in, asks := io.Pipe()
		git, err := r.repo.start(r.ctx, in, nil, "cat-file", "--batch")
		if err != nil {
			return Blob{}, err
		}
		r.git, r.asks = git, asks
	}
	if _, err := io.WriteString(r.asks, name+"\n"); err != nil {
		return Blob{}, r.git.failed(err)
	}
	b, err := readBlob(r.git.out, limit)
	if err != nil {
		err = r.git.failed(err)
	}
	return b, err
}

// Close ends git.
func (r *Reader) Close() {
	if r.git != nil {
		_ = r.asks.Close()
		r.git.close()
	}
}
