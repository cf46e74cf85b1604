package live

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// What this clone saw of closes is a file of lines, each with what it is about, in words what was seen, and a seal, such as
// "0f1e… held red 77ab…". Lines are appended behind the write that they tell of, and not flushed: one that is lost makes the
// level of a close lower.

// Seal is the key by which lines are known to be this user's. It lies in the user's own folder: who can write into the git
// folder and not read that, such as a job in a sandbox or the author of a copy, says nothing. "" seals and believes nothing.
type Seal string

// mark is what stands behind a line.
func (k Seal) mark(line string) string {
	h := hmac.New(sha256.New, []byte(k))
	h.Write([]byte(line))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Seen is what a clone knows of closes and of runs of checks beside their records, by task.Fact.About.
type Seen map[string]task.Seen

// Of is what is known of one.
func (s Seen) Of(about string) task.Seen { return s[about] }

// seenMax is the size, in bytes, beyond which the file of what was seen is cut down to its newer half.
const seenMax = 2 << 20

// Seen reads what the clone saw, and what the evidence says that was taken in. Those are two small files; what cannot be
// read, and what is not sealed, counts as absent.
func (d Clone) Seen(by Seal) Seen {
	out := d.Saw(by)
	out.read(d.Live.Stated(), by, 16*seenMax, task.Seen{Held: true, Red: true, Witnessed: true, Signed: true})
	return out
}

// Saw reads what the clone saw itself.
func (d Clone) Saw(by Seal) Seen {
	out := Seen{}
	out.read(d.Live.Seen(), by, 2*seenMax, task.Seen{Held: true, Red: true})
	return out
}

// read adds what a file says, of what it may say.
func (s Seen) read(path string, by Seal, most int64, may task.Seen) {
	src, err := disk.ReadRegular(path, most)
	if err != nil || by == "" {
		return
	}
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		end := max(0, strings.LastIndexByte(line, ' '))
		if !hmac.Equal([]byte(strings.TrimSpace(line[end:])), []byte(by.mark(line[:end]))) {
			continue
		}
		about, words, _ := strings.Cut(line[:end], " ")
		is := func(word string) bool { return strings.Contains(" "+words+" ", " "+word+" ") }
		s[about] = s[about].And(task.Seen{
			Held: may.Held && is("held"), Red: may.Red && is("red"), Witnessed: may.Witnessed && is("witnessed"), Signed: may.Signed && is("signed"),
		})
	}
}

// PutStated replaces what the evidence says, as it was judged last.
func (d Clone) PutStated(facts []task.Fact, by Seal) error {
	if err := d.MakeLive(); err != nil {
		return err
	}
	return d.Live.Failed(atomicfile.WriteVolatile(d.Live.Stated(), []byte(Lines(facts, by)+"\n")))
}

// Lines are the lines of the file that say some facts.
func Lines(facts []task.Fact, by Seal) string {
	if by == "" {
		return ""
	}
	return strings.Join(record.Each(facts, func(f task.Fact) string {
		line := f.About
		if f.Seen.Held {
			line += " held"
		}
		if f.Seen.Red {
			line += " red"
		}
		if f.Seen.Witnessed {
			line += " witnessed"
		}
		if f.Seen.Signed {
			line += " signed"
		}
		return line + " " + by.mark(line)
	}), "\n")
}

// CutSeen shortens a file of what was seen that has grown too large.
func (d Clone) CutSeen() error {
	path := d.Live.Seen()
	if info, err := os.Lstat(path); err != nil || info.Size() <= seenMax {
		return nil //nolint:nilerr // nothing was seen
	}
	src, err := disk.ReadRegular(path, 2*seenMax)
	if err != nil {
		return d.Live.Failed(err)
	}
	_, newer, _ := bytes.Cut(src[len(src)/2:], []byte("\n"))
	return d.Live.Failed(atomicfile.WriteVolatile(path, newer))
}
