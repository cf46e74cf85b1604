package render

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/mattn/go-runewidth"
)

// aStory has what a log shows: entries with their commits, long and hostile texts, merges, what was done by hand, and
// what is gone.
func aStory() []activity.Told {
	at := func(minutes int) time.Time { return cmdtest.StartTime.Add(time.Duration(minutes) * time.Minute) }
	entry := func(minutes int, who, in string, e verb.Entry) activity.Told {
		return activity.Told{At: at(minutes), Who: who, Task: "T-01kvmt65m00000", In: in, Entry: &e}
	}
	commit := func(minutes int, c activity.Commit) activity.Told {
		return activity.Told{At: at(minutes), Who: "Ada Löwe", Commit: &c}
	}
	hash := strings.Repeat("0123456789", 4)
	labeled := func(id record.ID) activity.Told {
		return activity.Told{At: at(30), Who: "human:lee", Task: id, Title: "Raise the walls of the old barn", Entry: &verb.Entry{Did: record.Updated, Fields: []string{"labels"}}}
	}
	gone := entry(1, "agent:codex", "", verb.Entry{Did: record.Created})
	gone.Deleted = true
	return []activity.Told{
		commit(90, activity.Commit{Hash: hash, Subject: "Merge cairn/T-01kvmt65m00000 into main: Raise the walls, and lay the beams of the old barn on them", Merge: true, Changes: []string{"T-01kvmt65m00000"}}),
		commit(80, activity.Commit{Hash: hash, Subject: "typo", Changes: []string{"T-1", "config"}, ByHand: []string{"T-1", "config"}}),
		commit(70, activity.Commit{Hash: hash, Subject: "walls: order stone for T-01kvmt65m00000"}),
		entry(60, "agent:claude-code-2", hash, verb.Entry{Did: record.Transitioned, From: "in_review", To: "done"}),
		entry(50, "human:lee", hash, verb.Entry{Did: record.Noted, Text: "The stones come on Thursday, says the quarry; until then there is nothing to do but to dig.\nAnd a second line"}),
		entry(40, "human:lee", "", verb.Entry{Did: record.Noted, Text: "\x1b[31mred\x1b[0m and 窓を取り付ける"}),
		labeled("T-01kvmt65m00000"), labeled("T-01kvmt65m00001"), labeled("T-01kvmt65m00002"),
		entry(20, "agent:codex", hash, verb.Entry{Did: record.Finished, From: "in_progress", To: "in_review"}),
		entry(20, "agent:codex", hash, verb.Entry{Did: record.Began, From: "backlog", To: "in_progress"}),
		gone,
	}
}

func TestStoryAtWidths(t *testing.T) {
	for _, width := range []int{60, 80, 200} {
		var out bytes.Buffer
		story := (&Renderer{}).tableOfStory(aStory(), map[string]int{"T-01kvmt65m00000": 5})
		story.Print(&out, width, screen.Plain)
		got := out.String()
		for line := range strings.Lines(got) {
			if w := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d columns: %q", w, line)
			}
		}
		if strings.Contains(got, "\x1b") {
			t.Errorf("a text speaks to the terminal: %q", got)
		}
		name := filepath.Join("testdata", "log", fmt.Sprintf("%d.golden", width))
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("at %d columns it is\n%s\nand not what %s has", width, got, name)
		}
	}
}
