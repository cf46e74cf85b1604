package render

import (
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb/prime"
)

// renderPrime prints the text for an agent, or what the hook of a client takes.
func renderPrime(r *Renderer, out prime.Out) { r.Printf("%s", screen.Lines(out.Print())) }
