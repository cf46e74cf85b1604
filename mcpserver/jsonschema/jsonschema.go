package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// UnmarshalJSON reads one JSON value. Numbers become float64, the form in which jsonschema-go compares them.
func UnmarshalJSON(r io.Reader) (any, error) {
	dec := json.NewDecoder(r)
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON value")
	}
	return doc, nil
}

// Compiler compiles schemas, which may refer to one another. It reads no file and asks no network. It must not be used
// by several goroutines at once.
type Compiler struct {
	added map[string]any
}

// NewCompiler returns a compiler that has no schemas yet.
func NewCompiler() *Compiler { return &Compiler{added: map[string]any{}} }

// AddResource adds a schema, as UnmarshalJSON returns it, under an absolute URL. It returns an error if that URL has
// one.
func (c *Compiler) AddResource(url string, doc any) error {
	if _, taken := c.added[url]; taken {
		return fmt.Errorf("there is a schema at %s already", url)
	}
	c.added[url] = doc
	return nil
}

// Compile returns the schema that was added under a URL. It returns an error if there is none, if it is not well formed
// or of a draft that is not supported, or if it refers to a schema that was not added.
func (c *Compiler) Compile(location string) (*Schema, error) {
	at, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	root, err := c.load(at)
	if err != nil {
		return nil, err
	}
	resolved, err := root.Resolve(&jsonschema.ResolveOptions{BaseURI: location, Loader: c.load})
	if err != nil {
		return nil, err
	}
	return &Schema{resolved: resolved}, nil
}

// drafts are the values of the keyword $schema that are supported. A schema without it is of draft 2020-12.
var drafts = []string{
	"", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#",
}

// load makes a schema of what was added under a URL.
func (c *Compiler) load(at *url.URL) (*jsonschema.Schema, error) {
	doc, ok := c.added[at.String()]
	if !ok {
		return nil, fmt.Errorf("there is no schema at %s", at)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if !slices.Contains(drafts, s.Schema) {
		return nil, fmt.Errorf("the schema at %s is of the draft %s, and only drafts 7 and 2020-12 are supported", at, s.Schema)
	}
	return s, nil
}

// Schema is a compiled schema. Several goroutines may use it at once.
type Schema struct {
	resolved *jsonschema.Resolved
}

// Validate returns a *ValidationError if a value, as UnmarshalJSON returns it, does not satisfy the schema.
func (s *Schema) Validate(value any) error {
	if err := s.resolved.Validate(value); err != nil {
		return &ValidationError{ErrorKind: Reason(err.Error())}
	}
	return nil
}

// ValidationError is the first way found in which a value does not satisfy a schema.
type ValidationError struct {
	// InstanceLocation is the path to the part of the value that is wrong. It is always empty: the reason names the part
	// of the schema.
	InstanceLocation []string
	ErrorKind        Reason
	Causes           []*ValidationError // always empty
}

// Reason says in words what is wrong.
type Reason string

func (e *ValidationError) Error() string {
	return "the value does not satisfy the schema: " + string(e.ErrorKind)
}
