// Package format is the file format: bytes to document and back, and edits that change only their own lines.
//
// A document is Markdown with YAML front matter, or a plain YAML file. Parse keeps the bytes as they are, so Bytes
// returns exactly what Parse was given. Edit never encodes a whole document again. It
//
//  1. finds the bytes of the value to change, from the positions of the parsed nodes,
//  2. replaces those bytes and no others,
//  3. parses the result and compares it with the same change made on the parsed tree.
//
// If the two differ in anything, or a comment is gone, the edit is refused with the reason. So comments, the order of
// keys, quoting, blank lines, indentation, line endings, a byte order mark, unknown keys and the body survive every
// edit byte for byte. A wrong replacement can cause a refusal, but it cannot damage a file.
//
// A comment is never lost. If the line it is on is removed, the comment stays as a line of its own.
//
// The package knows documents and not what they record. It does no I/O. A Doc never changes, so goroutines may share
// it.
//
// # Files
//
// Reading:
//
//   - document.go: Doc, Parse, New and Error
//   - node.go: the library yaml.v3, which nothing else imports, and its nodes
//   - parse.go: splitting a file into YAML and body, what is refused before parsing, yaml.v3 and its errors
//   - own.go: a fast reader of YAML in the form that this package writes; yaml.v3 reads the rest
//   - check.go: what is refused in a parsed tree, such as keys that other YAML readers would see differently
//   - lines.go: byte offsets, lines and columns; where scalars, names and blanks end
//   - locate.go: where nodes, members and comments lie in the bytes
//   - path.go: paths to values
//   - meaning.go: what a value says, however it is written; removing keys that git's own merge has left twice
//
// Writing:
//
//   - value.go: values to write, and how they are written as YAML
//   - edit.go: how edits are made, alone or several at once, and what a document must say after one
//   - change.go: the edits Set, Remove, SetSeq and SetBody
//   - collection.go: writing lists and mappings again from old and new members
//
// Merging:
//
//   - merge.go: Merge, the schema of a merge, and its result
//   - merge_fields.go: one key, by its kind of field
//   - conflict.go: markers around keys in conflict, and the comments of their side
//   - diff3.go: text, line by line
package format
