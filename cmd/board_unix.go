//go:build unix

package cmd

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// stops has the board give the terminal back before a signal stops the process, as Ctrl-Z does, and draw itself again when it goes on.
type stops struct {
	signals chan os.Signal
}

func (s *stops) begin(send func(tea.Msg)) {
	s.signals = make(chan os.Signal, 1)
	go func() {
		for sig := range s.signals {
			if sig == syscall.SIGTSTP {
				send(tea.SuspendMsg{})
				continue
			}
			send(tea.ClearScreen())
		}
	}()
	s.follow()
}

// follow takes the signals. leave lets them do what they do to any process: bubbletea stops the process by one, once the terminal is free.
func (s *stops) follow() { signal.Notify(s.signals, syscall.SIGTSTP, syscall.SIGCONT) }
func (s *stops) leave()  { signal.Reset(syscall.SIGTSTP, syscall.SIGCONT) }

// filter sees each message before the board and bubbletea do.
func (s *stops) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case tea.SuspendMsg:
		s.leave()
	case tea.ResumeMsg:
		s.follow()
	}
	return msg
}
