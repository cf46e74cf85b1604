// Package embed has texts turned into vectors by the embedder that the user has set up, for searches by meaning.
//
//	config.go   which embedder the user names in their own config
//	command.go  one that is a program
//	url.go      one that answers over HTTP as OpenAI's does
//	embed.go    what is asked of it, what is kept, and what becomes of an outage
//
// The embedder is never named by a repository: it is a program that runs as the user, or an address that gets what
// notes say. Nothing that it does keeps a note from being written or found: whoever calls gets the vectors that there
// are, and why others are missing.
package embed
