package proc

import (
	"os"
	"strings"
)

// Above is what is known of the processes that this one descends from. A process can take a variable out of its own
// environment, and leave its process group and its session; what it began under it cannot change.
type Above struct {
	// Marked says that this process is one of a command that Run started, here or in another program, whoever its
	// parent is by now. Only Linux tells; elsewhere it is false.
	Marked bool

	// Conclusive says that a process which is not marked is none of a command: no process here could take its mark
	// away.
	Conclusive bool

	Processes []Ancestor // the nearest first; those of other users have no environment, and so have all on Windows
}

// Ancestor is a process above this one, which may have ended since.
type Ancestor struct {
	PID int
	Env []string // that it began with
}

// mostAbove bounds a walk whose numbers change while it goes on.
const mostAbove = 256

// Up looks at the processes above this one. Where the system does not tell, there are fewer, or none.
func Up() Above {
	up := Above{Marked: marked(), Conclusive: conclusive()}
	parent := parents()
	for pid := parent(os.Getpid()); pid > 0 && len(up.Processes) < mostAbove; pid = parent(pid) {
		up.Processes = append(up.Processes, Ancestor{pid, environOf(pid)})
	}
	return up
}

// Variables returns the environments of the processes above, each as a function of a name.
func (a Above) Variables() []func(name string) string {
	var out []func(string) string
	for _, p := range a.Processes {
		out = append(out, func(name string) (value string) {
			for _, v := range p.Env {
				if found, ok := strings.CutPrefix(v, name+"="); ok {
					value = found
				}
			}
			return value
		})
	}
	return out
}

// Under reports whether a process is among those above.
func (a Above) Under(pid int) bool {
	for _, p := range a.Processes {
		if p.PID == pid {
			return pid > 0
		}
	}
	return false
}
