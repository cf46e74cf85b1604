// Package skills has the skills that are in files which are no records: the user's own shelf, and the folders in which
// agents look for skills, in the Agent Skills format (https://agentskills.io/specification).
//
// Those folders belong to others. Sync writes and removes only files that it wrote itself and that nobody has changed
// since: the last line of such a file says so, with a hash of what stands above it. Nothing is read or written through
// links.
package skills
