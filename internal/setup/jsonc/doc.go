// Package jsonc edits JSON that may have comments and trailing commas, as editors and agents keep their settings. An
// edit adds or removes one member of an object or one element of an array, and every other byte stays: comments, order,
// indentation, line breaks, unknown keys. It knows bytes and no files.
package jsonc
