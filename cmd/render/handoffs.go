package render

import (
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
)

// renderHandoff prints a handoff that was written: a line, and the answer if there is one.
func renderHandoff(r *Renderer, h handoffs.Handoff) {
	renderRecord(r, h.Record)
	held := ""
	if h.Claim != nil {
		held = string(h.Claim.Actor)
	}
	reused := ""
	if h.Reused {
		reused = "it was there already, with this fingerprint"
	}
	r.namedTexts([]namedText{{"from", string(h.From)}, {"to", fieldText(h.Fields["to"])}, {"held by", held}, {"answer", h.Response.Words()}, {"reused", reused}})
}
