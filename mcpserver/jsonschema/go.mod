// This module has the path of the one that it stands in for; see doc.go.
module github.com/santhosh-tekuri/jsonschema/v6

go 1.26.0
