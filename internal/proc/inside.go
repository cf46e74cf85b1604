package proc

import "fmt"

// Process is a process whose working directory lies in a folder.
type Process struct {
	PID  int
	Name string
}

func (p Process) String() string {
	if p.Name == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d (%s)", p.PID, p.Name)
}
