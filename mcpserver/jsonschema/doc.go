// Package jsonschema stands in for github.com/santhosh-tekuri/jsonschema/v6 where cairn is built in a clone, by the file
// go.work. mcp-go imports that package for a validation that a server can switch on, and each program that links it
// compiles the schemas of five drafts before main begins. Our server does not switch it on: verbs read their inputs
// themselves. This package has the part of its API that mcp-go names, and refuses every value, so that a server which
// switches the validation on does not go on without it.
package jsonschema
