package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// Inside lists the processes whose working directory is a folder or lies in it; this process may be one of them. It
// returns an error if it cannot tell, as where /proc is missing or shows only a part.
//
// A process of another user, or one that hides from its own, shows no directory. Those cannot be known to be elsewhere,
// but there are always some, so they are taken for what they are: no part of the work of this user.
func Inside(folder string) ([]Process, error) {
	if _, err := os.Readlink("/proc/self/cwd"); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var found []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if err != nil || !disk.Within(folder, strings.TrimSuffix(dir, " (deleted)")) {
			continue
		}
		name, _ := disk.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
		found = append(found, Process{pid, strings.TrimSpace(string(name))})
	}
	return found, nil
}
