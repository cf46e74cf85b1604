//go:build !unix

package cmd

import tea "charm.land/bubbletea/v2"

// stops is for systems whose signals stop no process.
type stops struct{}

func (*stops) begin(func(tea.Msg)) {}
func (*stops) end()                {}
func (*stops) leave()              {}
func (*stops) back()               {}

func (*stops) filter(_ tea.Model, msg tea.Msg) tea.Msg { return msg }
