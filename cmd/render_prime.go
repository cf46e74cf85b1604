package cmd

import "github.com/cairn-tasks/cairn/internal/verb/prime"

// renderPrime prints the text for an agent, or what the hook of a client takes.
func renderPrime(r *renderer, out prime.Out) { r.printf("%s", lines(out.Print())) }
