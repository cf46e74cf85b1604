package cmd

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
)

// flagsOf makes the flags of a field: one by its type, or those that the field declares.
func flagsOf(f verb.Field) []cli.Flag {
	switch {
	case f.Not != "":
		return []cli.Flag{
			&cli.BoolFlag{Name: f.Flag, Local: true, Usage: f.Doc},
			&cli.BoolFlag{Name: f.Not, Local: true, Usage: "the opposite of --" + f.Flag},
		}
	case f.Type == verb.Objects:
		var out []cli.Flag
		for _, flag := range objectFlags(f) {
			out = append(out, &cli.StringSliceFlag{Name: flag.Name, Local: true, Usage: flag.Doc + ", as `" + flag.Form + "`; may be repeated"})
		}
		return out
	case f.Type == verb.Boolean:
		return []cli.Flag{&cli.BoolFlag{Name: f.Flag, Local: true, Usage: f.Doc}}
	case f.Type == verb.Texts || f.Type == verb.Numbers:
		return []cli.Flag{&cli.StringSliceFlag{Name: f.Flag, Local: true, Usage: f.Doc + "; may be repeated"}}
	default:
		return []cli.Flag{&cli.StringFlag{Name: f.Flag, Local: true, Usage: f.Doc}}
	}
}

// objectFlags are the flags of a list of objects: those that it declares, else one whose values are objects as JSON.
func objectFlags(f verb.Field) []verb.ObjectFlag {
	if len(f.Flags) == 0 {
		return []verb.ObjectFlag{{Name: f.Flag, Doc: f.Doc, Form: objectForm(f.Fields), Parse: func(value string) (map[string]any, error) {
			return verb.ReadObject([]byte(value))
		}}}
	}
	out := make([]verb.ObjectFlag, len(f.Flags))
	for i, flag := range f.Flags {
		if out[i] = flag; flag.Doc == "" {
			out[i].Doc = f.Doc
		}
	}
	return out
}

// objectForm shows the keys of an object, as {"title": …, "url": …}.
func objectForm(fields []verb.Field) string {
	var keys []string
	for _, f := range fields {
		if f.Doc != "-" {
			keys = append(keys, fmt.Sprintf("%q: …", f.Name))
		}
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// objectsFromFlags makes the objects of a list, flag by flag. One empty value of the first flag clears the list.
func objectsFromFlags(c *cli.Command, f verb.Field, in map[string]any) error {
	objects := []map[string]any{}
	given := false
	for i, flag := range objectFlags(f) {
		given = given || c.IsSet(flag.Name)
		values := c.StringSlice(flag.Name)
		if i == 0 {
			values = cleared(values)
		}
		for _, value := range values {
			object, err := flag.Parse(value)
			if err != nil {
				return err
			}
			objects = append(objects, object)
		}
	}
	if given {
		in[f.Name] = objects
	}
	return nil
}

// choiceFromFlags reads a boolean that has a flag for each of its values.
func choiceFromFlags(c *cli.Command, f verb.Field, in map[string]any) error {
	yes, no := c.Bool(f.Flag), c.Bool(f.Not)
	_, given := in[f.Name]
	switch {
	case yes && no:
		return usage("--%s and --%s exclude each other", f.Flag, f.Not).WithHint("leave out the one that does not hold")
	case yes || no:
		in[f.Name] = yes
	case f.Required && !given:
		return usage("says neither --%s nor --%s", f.Flag, f.Not).WithHint("add the one that holds")
	}
	return nil
}
