// Package frontmatter is the file format: bytes to document and back, and edits that touch only their own lines.
//
// A document is Markdown with YAML front matter, or a plain YAML file. Parse keeps the bytes as they are, so Bytes gives
// back what Parse was given. Edit never encodes a document anew. It
//
//  1. finds the bytes of the value concerned, from the positions of the parsed nodes (lines.go, span.go),
//  2. replaces those bytes and no others (replace.go, and block.go and flow.go for collections),
//  3. parses the result and compares it with the same edit made on the tree of the source (tree.go, proof.go).
//
// If they differ in anything, or a comment is gone, the edit is refused and says why. So comments, the order of keys,
// quoting, blank lines, indentation, line endings, a byte order mark, unknown keys and the body survive every edit byte
// for byte, and a wrong splice can cost a refusal but never a file.
//
// A comment is never lost. Where the line it stands on goes, it stays as a line of its own.
//
// The package knows documents, not tasks. It does no I/O, and all its values may be shared between goroutines: a Doc
// never changes.
package frontmatter
