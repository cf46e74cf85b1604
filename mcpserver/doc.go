// Package mcpserver serves the verbs to coding agents over the Model Context Protocol.
//
// It is an adapter: each verb of the catalogue becomes a tool, its declaration the tool's schema and annotations, its
// output the structured content and the same JSON as text, since some clients show only one of the two. It holds no rule.
// Who acts, and with what rights, is fixed when the server starts and is nobody's argument. It serves one client on two
// streams, with a loop of its own (stdio.go), or many over HTTP on an address of this machine alone (http.go).
//
// What three verbs return can also be read as resources (resource.go): a task, a session, and what is ready. A client that
// subscribes to one (subscribe.go) is told when to read it again (updates.go); for a task and a session that is when a wait
// would end, since both look through the same eyes. The texts for agents and people are in pages: the instructions that
// each client gets, the guide, and the prompts (prompt.go).
package mcpserver
