//go:build !unix

package terminal

import tea "charm.land/bubbletea/v2"

// Stops is for systems whose signals stop no process.
type Stops struct{}

func (*Stops) Begin(func(tea.Msg)) {}
func (*Stops) End()                {}
func (*Stops) Leave()              {}
func (*Stops) Back()               {}

func (*Stops) Filter(_ tea.Model, msg tea.Msg) tea.Msg { return msg }
