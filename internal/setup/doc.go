// Package setup writes what coding agents and editors need to know cairn into their own files: an MCP server into their
// configuration, a hook that primes an agent, and a short section into the instructions that agents read.
//
// Those files belong to others. A plan says what would change; Apply makes it so, each file whole or not at all, after
// comparing it with what was planned for. Only what cairn adds is ever taken out again, and only while it is as cairn
// wrote it: a member or an element of JSON (package jsonc), or a section between two marks that carry a hash of what
// stands between them. A file that cannot be read as what it should be is refused, with the line.
//
// Links are followed, so that a link stays one, but not out of the repository. What Apply had to make (a file, a
// folder, an object around an entry) is noted in the user's folder of state, and removed again once it is empty. On a
// machine that has no such note it stays.
package setup
