package proc

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
)

// A process sees those above it, and not itself.
func TestUp(t *testing.T) {
	up := Up()
	if !up.Under(os.Getppid()) || up.Under(os.Getpid()) || up.Under(0) {
		t.Errorf("above %d there is %+v", os.Getpid(), up.Processes)
	}
}

// What is adopted from a command ends with it, and leaves no entry in the process table.
func TestAdoptedProcessesAreWaitedFor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing is adopted here")
	}
	defer Adopt()()
	if _, err := Run(context.Background(), Command{Line: "for n in 1 2 3; do ( setsid sleep 300 & ); done; sleep 0.2"}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range childrenOf(os.Getpid()) {
		t.Errorf("process %d is left", pid)
	}
}

// childrenOf lists the children of a process that run sleep, or have ended.
func childrenOf(parent int) (pids []int) {
	of := parents()
	for _, name := range entries("/proc") {
		if pid := number(name); pid > 0 && of(pid) == parent {
			comm, _ := os.ReadFile("/proc/" + name + "/comm")
			if strings.TrimSpace(string(comm)) == "sleep" {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func entries(dir string) (names []string) {
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func number(name string) (n int) {
	for _, c := range name {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
