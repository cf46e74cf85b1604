package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// An editor takes no lock: it reads a file, and later saves over what was written meanwhile. To notice that, live state
// has a journal of each record, with one line of JSON (session.Written) for every entry that this clone wrote. A line
// is appended once the entry is in the file, and is not flushed.

// JournalMax is the size, in bytes, beyond which a journal is cut down to its last 128 KiB.
const (
	JournalMax  = 256 << 10
	journalKept = 128 << 10
)

// Append adds a line to a file. The line break comes first, so that a line which a power cut left incomplete does not
// spoil the next.
func Append(path string, line []byte) error {
	info, err := os.Lstat(path)
	if err != nil && !problem.Missing(err) {
		return err
	}
	if err == nil && info.Size() > 0 {
		line = append([]byte{'\n'}, line...)
	}
	return disk.Append(path, line)
}

// Journal returns the entries that this clone wrote to a record, oldest first. Lines that cannot be read are left out.
func (d Clone) Journal(of record.Ref) []session.Written {
	out, _, _ := d.JournalLines(of)
	return out
}

// JournalLines reads a journal, and counts the lines that cannot be read. Incomplete lines, which a kill can leave, are
// not counted.
func (d Clone) JournalLines(of record.Ref) (out []session.Written, bad int, err error) {
	src, err := disk.ReadRegular(d.Live.Journal(of), MaxFile)
	if err != nil {
		return nil, 0, err
	}
	for line := range bytes.Lines(src) {
		w, err := session.ParseWritten(line)
		switch {
		case err == nil:
			out = append(out, w)
		case len(bytes.TrimSpace(line)) > 0 && !torn(line):
			bad++
		}
	}
	return out, bad, nil
}

// torn reports whether a line is incomplete JSON.
func torn(line []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(bytes.TrimRight(line, "\r\n"))).Decode(&v), io.ErrUnexpectedEOF)
}

// CutJournal shortens a journal that has grown too large. It keeps entries that the file of this worktree lacks rather
// than those that it has, and newer ones rather than older ones.
func (d Clone) CutJournal(of record.Ref, file record.Log) error {
	path := d.Live.Journal(of)
	if info, err := os.Lstat(path); err != nil || info.Size() <= JournalMax {
		return nil //nolint:nilerr // there is no journal
	}
	all := d.Journal(of)
	keep := make([]bool, len(all))
	room := journalKept
	choose := func(wanted func(session.Written) bool) {
		for i, w := range slices.Backward(all) {
			if size := len(Encode(w)); !keep[i] && wanted(w) && size <= room {
				keep[i], room = true, room-size
			}
		}
	}
	have := file.Hashes()
	choose(func(w session.Written) bool { return w.On.Worktree == d.Worktree && !have[w.Entry.Hash()] })
	choose(func(session.Written) bool { return true })
	return d.Live.Failed(d.rewriteJournal(of, func(i int) bool { return keep[i] }))
}

// RewriteJournal removes the lines of a journal that cannot be read.
func (d Clone) RewriteJournal(of record.Ref) error {
	return d.rewriteJournal(of, func(int) bool { return true })
}

// rewriteJournal keeps some of the lines that can be read.
func (d Clone) rewriteJournal(of record.Ref, keep func(i int) bool) error {
	var lines []byte
	for i, w := range d.Journal(of) {
		if keep(i) {
			lines = append(lines, Encode(w)...)
		}
	}
	return atomicfile.WriteVolatile(d.Live.Journal(of), bytes.TrimSuffix(lines, []byte{'\n'}))
}

// Journalled lists the records that have a journal.
func (d Clone) Journalled() ([]record.Ref, error) {
	var out []record.Ref
	err := layout.EachName(d.Live.Journals(), layout.JournalExt, func(name string) {
		of := layout.RefOf(name)
		if _, ok := kind.For(of); ok {
			out = append(out, of)
		}
	})
	return out, err
}
