package worktree

import (
	"fmt"
	"strings"
)

// process is a process whose working directory lies in a work tree.
type process struct {
	PID  int
	Name string
}

func (p process) String() string {
	if p.Name == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d (%s)", p.PID, p.Name)
}

// liveness says that processes work in a folder, or that this is not known.
func liveness(live []process, err error) string {
	if err != nil {
		return "whether a process works there is uncertain: " + err.Error()
	}
	names := make([]string, len(live))
	for i, p := range live {
		names[i] = p.String()
	}
	return strings.Join(names, ", ") + " works in it"
}
