package sandbox

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// means is what a system has to make a box with.
type means struct {
	program string // on PATH
	install string
	try     []string                                           // its arguments to show that it works
	words   func(b Box, command []string, dir string) []string // those that run a command, of a box that is resolved
}

var rows = map[string]means{
	"linux": {
		"bwrap", "install bubblewrap: apt-get install bubblewrap, dnf install bubblewrap",
		append(bwrapBase(), "--ro-bind", "/", "/", "--", "true"), bwrap,
	},
	"darwin": {"sandbox-exec", "it comes with macOS, in /usr/bin", []string{"-p", "(version 1)(allow default)", "/usr/bin/true"}, seatbelt},
}

// Can returns the program that makes boxes here. It returns NO_SANDBOX, which says what is missing, if there is none or
// the system does not let it.
func Can() (string, error) {
	row, ok := rows[runtime.GOOS]
	if !ok {
		return "", missing("there is no sandbox for %s", runtime.GOOS).WithHint("use WSL, a container, or a machine with Linux or macOS")
	}
	program, err := exec.LookPath(row.program)
	if err != nil || !filepath.IsAbs(program) {
		return "", missing("%s is not on PATH", row.program).WithHint("%s", row.install)
	}
	if said := tried(program); said != "" {
		return "", missing("%s does not work here: %s", program, said).
			WithHint("the system may forbid user namespaces: sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns")
	}
	return program, nil
}

func missing(format string, args ...any) *record.Error {
	return record.Errorf(record.NoSandbox, "a command is to run in a sandbox, and cannot: "+format, args...)
}

var tries sync.Map // of programs, whether they work here: what is wrong, "" for nothing

// tried starts a program once, and says what it complains of.
func tried(program string) string {
	once, _ := tries.LoadOrStore(program, sync.OnceValue(func() string {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		out, err := exec.CommandContext(ctx, program, rows[runtime.GOOS].try...).CombinedOutput()
		if err == nil {
			return ""
		}
		return record.Clip(strings.TrimSpace(err.Error()+" "+string(out)), 300)
	}))
	return once.(func() string)()
}
