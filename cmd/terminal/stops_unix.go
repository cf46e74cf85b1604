//go:build unix

package terminal

import (
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// Stops has the board give the terminal back before the process stops, on Ctrl-Z and on a signal, and draw itself again
// when it goes on.
//
// Go does not let go of SIGTSTP once it was asked for it, so the process is stopped by SIGSTOP, which nobody can catch.
type Stops struct {
	signals chan os.Signal
	away    atomic.Bool // another program has the terminal
}

// Begin listens to the signals, and sends what the board has to know of them.
func (s *Stops) Begin(send func(tea.Msg)) {
	s.signals = make(chan os.Signal, 1)
	signal.Notify(s.signals, syscall.SIGTSTP, syscall.SIGCONT)
	go func() {
		for sig := range s.signals {
			switch {
			case sig == syscall.SIGTSTP && s.away.Load():
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // the signal has stopped the other program too
			case sig == syscall.SIGTSTP:
				send(tea.SuspendMsg{})
			case !s.away.Load():
				send(tea.ClearScreen())
			}
		}
	}()
}

// End ends that.
func (s *Stops) End() {
	signal.Stop(s.signals)
	close(s.signals)
}

// Leave and Back stand around the time in which another program has the terminal.
func (s *Stops) Leave() { s.away.Store(true) }

// Back ends what Leave begins.
func (s *Stops) Back() { s.away.Store(false) }

// Filter sees each message before bubbletea does, which would stop the process by SIGTSTP.
func (s *Stops) Filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.SuspendMsg); ok {
		return tea.Exec(stopped{}, nil)()
	}
	return msg
}

// stopped is what is done with the terminal while the board is stopped.
type stopped struct{}

// Run returns once the process goes on. All of the process group stops, as by Ctrl-Z in a program that leaves that to
// the terminal.
func (stopped) Run() error {
	LetRendererEnd()
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
		return err
	}
	<-goesOn // the call may return a moment before the process stops, and the terminal is not to be taken back in it
	return nil
}

func (stopped) SetStdin(io.Reader)  {}
func (stopped) SetStdout(io.Writer) {}
func (stopped) SetStderr(io.Writer) {}
