package live

import (
	"bytes"
	"os"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// What this clone saw of closes is a file of lines, each with what it is about and in words what was seen, such as
// "0f1e… held red". Lines are appended behind the write that they tell of, and not flushed: one that is lost makes the
// level of a close lower.

// Seen is what a clone knows of closes and of runs of checks beside their records, by task.Fact.About.
type Seen map[string]task.Seen

// Of is what is known of one.
func (s Seen) Of(about string) task.Seen { return s[about] }

// seenMax is the size, in bytes, beyond which the file of what was seen is cut down to its newer half.
const seenMax = 2 << 20

// Seen reads what the clone saw. It is one small file; what cannot be read counts as absent.
func (d Clone) Seen() Seen {
	src, err := disk.ReadRegular(d.Live.Seen(), 2*seenMax)
	if err != nil {
		return nil
	}
	out := Seen{}
	for line := range bytes.Lines(src) {
		about, words, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		words = " " + words + " "
		out[about] = out[about].And(task.Seen{Held: strings.Contains(words, " held "), Red: strings.Contains(words, " red ")})
	}
	return out
}

// Lines are the lines of the file that say some facts.
func Lines(facts []task.Fact) string {
	return strings.Join(record.Each(facts, func(f task.Fact) string {
		line := f.About
		if f.Seen.Held {
			line += " held"
		}
		if f.Seen.Red {
			line += " red"
		}
		return line
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
