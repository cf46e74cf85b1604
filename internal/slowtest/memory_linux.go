package slowtest

import (
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	memory     = "/dev/shm"
	memoryRoom = 4 << 30 // bytes that must be free
)

// InMemory has the tests of this process keep their folders in memory, where there is room and programs can be run
// from there: they flush what they write, as cairn does, thousands of times. It does nothing if TMPDIR or GOTMPDIR is
// set. TestMain calls it first.
func InMemory() {
	var free unix.Statfs_t
	if os.Getenv("TMPDIR")+os.Getenv("GOTMPDIR") != "" || unix.Statfs(memory, &free) != nil || free.Bavail*uint64(free.Bsize) < memoryRoom || !runs(memory) {
		return
	}
	_ = os.Setenv("TMPDIR", memory)
}

// runs reports whether programs can be run from a folder.
func runs(folder string) bool {
	dir, err := os.MkdirTemp(folder, "runs-")
	if err != nil {
		return false
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "program")
	return os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700) == nil && exec.Command(program).Run() == nil
}
