package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Blob is the content of a file as git keeps it.
type Blob struct {
	Content []byte // nil if it is missing or larger than was asked for
	Size    int64
	Missing bool // there is no such file, or the clone has left it out
}

// Blobs calls fn with what is kept under each of the names, in their order: an object id, or a commit, a colon and a path.
// Of a blob with more than most bytes only the size is read.
func (r *Repo) Blobs(ctx context.Context, names []string, most int64, fn func(i int, b Blob)) error {
	if len(names) == 0 {
		return nil
	}
	in := strings.NewReader(strings.Join(names, "\n") + "\n")
	read := func(out *bufio.Reader) error {
		for i := range names {
			b, err := readBlob(out, most)
			if err != nil {
				return err
			}
			fn(i, b)
		}
		return nil
	}
	return runReading(ctx, in, read, r.Top, "cat-file", "--batch")
}

// readBlob reads one answer of git cat-file --batch: a line with the id, the type and the size, then the content.
func readBlob(out *bufio.Reader, most int64) (Blob, error) {
	line, err := out.ReadBytes('\n')
	if err != nil {
		return Blob{}, cutShort(err)
	}
	if bytes.HasSuffix(line, []byte(" missing\n")) {
		return Blob{Missing: true}, nil
	}
	var id, kind string
	var b Blob
	if n, err := fmt.Sscanf(string(line), "%s %s %d\n", &id, &kind, &b.Size); n != 3 || b.Size < 0 {
		return Blob{}, garbled("cat-file", fmt.Sprintf("%s (%v)", line, err))
	}
	b.Missing = kind != "blob"
	if b.Missing || b.Size > most {
		_, err = io.CopyN(io.Discard, out, b.Size)
	} else {
		b.Content = make([]byte, b.Size)
		_, err = io.ReadFull(out, b.Content)
	}
	if err == nil {
		_, err = out.Discard(1) // the line break behind the content
	}
	return b, cutShort(err)
}

// cutShort makes one error of all the ways in which an output can end too early.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
