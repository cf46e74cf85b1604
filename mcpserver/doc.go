// Package mcpserver serves the verbs to coding agents over the Model Context Protocol.
//
// It is an adapter without rules of its own. Each verb of the catalogue becomes a tool, its declaration the tool's
// schema and annotations, and its output both the structured content and the same JSON as text, because some clients
// show only one of the two. Who acts, and with what rights, is fixed when the server starts; no argument changes it.
// The server has one client on two streams (stdio.go), or many over HTTP on an address that only this machine can reach
// (http.go).
//
// What some verbs return can also be read as resources (resource.go): each record that a verb reads by its id, and what
// is ready. A client that subscribes to a resource (subscribe.go) is notified when to read it again (updates.go). For a
// record that is when a wait for it would end. The texts for agents and people are in pages: the instructions that each
// client gets, the guide, and the prompts (prompt.go).
//
// A refusal is a result with a code, a hint and a next tool (errors.go). Calls in its hint are spelled as tools.
package mcpserver
