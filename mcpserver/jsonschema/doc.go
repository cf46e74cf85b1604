// Package jsonschema validates JSON by schemas of JSON Schema, drafts 7 and 2020-12, with
// github.com/google/jsonschema-go.
//
// It stands in for github.com/santhosh-tekuri/jsonschema/v6 where cairn is built in a clone, by the file go.work.
// mcp-go imports that package for a validation that a server can switch on, and each program that links it compiles the
// schemas of five drafts before main begins. This package has the part of its API that mcp-go uses, with the same
// meaning, and does nothing before it is called.
//
// It differs in what it supports. A schema of another draft does not compile. Integers beyond 2^53 are rounded before
// they are compared. An error names the first thing that is wrong, by its place in the schema, where the other lists
// all by their places in the value. In both the keyword format is not asserted.
package jsonschema
