package crashtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A write costs the same in a workspace of ten tasks and of hundreds: it lists no folder of records, and opens no more
// files.
func TestWritesDoNotGrow(t *testing.T) {
	for _, tt := range []struct {
		verb  string
		input in
	}{
		{"create", in{"title": "A new task", "deps": []string{aside}}},
		{"claim", in{"id": about}},
		{"note", in{"id": about, "text": "worth remembering"}},
		{"transition", in{"id": about, "to": "in_progress"}},
		{"update", in{"id": about, "title": "A better title"}},
		{"begin", in{"id": about, "expected_actor": "agent:a", "idempotency_key": "once"}},
	} {
		t.Run(tt.verb, func(t *testing.T) {
			few, many := opened(t, 10, tt.verb, tt.input), opened(t, 300, tt.verb, tt.input)
			if few != many {
				t.Errorf("it opens %d files and folders where there are 10 tasks, and %d where there are 300", few, many)
			}
		})
	}
}

// opened makes a call in a workspace with so many more tasks. It returns how often something in the folder of tasks was
// opened, the folder included.
func opened(t *testing.T, tasks int, verb string, input in) int {
	t.Helper()
	h := newHouse(t)
	folder := filepath.Join(h.root, ".cairn", "tasks")
	src, err := os.ReadFile(filepath.Join(folder, about+".md"))
	must(t, err)
	for i := range tasks {
		id := fmt.Sprintf("PROJ-%d", 100+i)
		must(t, os.WriteFile(filepath.Join(folder, id+".md"), []byte(strings.ReplaceAll(string(src), about, id)), 0o644))
	}
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	must(t, err)
	defer func() { _ = syscall.Close(watch) }()
	_, err = syscall.InotifyAddWatch(watch, folder, syscall.IN_OPEN|syscall.IN_ACCESS)
	must(t, err)
	must(t, call{h.root, h.stateDir(), "agent:a", during, verb, input}.do())
	n, listed := events(t, watch)
	if listed {
		t.Errorf("where there are %d tasks it lists them", tasks)
	}
	return n
}

// events counts what was opened, by what inotify has to tell, and says whether the folder itself was read.
func events(t *testing.T, watch int) (opened int, listed bool) {
	t.Helper()
	for buf := make([]byte, 1<<16); ; {
		size, err := syscall.Read(watch, buf)
		if errors.Is(err, syscall.EAGAIN) {
			break
		}
		must(t, err)
		for at := 0; at < size; {
			mask, name := binary.NativeEndian.Uint32(buf[at+4:]), binary.NativeEndian.Uint32(buf[at+12:])
			switch {
			case mask&syscall.IN_OPEN != 0:
				opened++
			case mask&syscall.IN_ISDIR != 0:
				listed = true
			}
			at += syscall.SizeofInotifyEvent + int(name)
		}
	}
	if opened == 0 {
		t.Fatal("nothing was opened")
	}
	return opened, listed
}
