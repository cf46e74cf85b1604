package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say plugin or mcpb")
	}
	switch args[0] {
	case "plugin":
		return writePlugin(".")
	case "mcpb":
		return mcpb(args[1:])
	default:
		return fmt.Errorf("there is no bundle %q: say plugin or mcpb", args[0])
	}
}

// writePlugin writes the files of the plugin below the root of the repository.
func writePlugin(root string) error {
	for name, text := range pluginFiles() {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mcpb writes a bundle around a program.
func mcpb(args []string) error {
	set := flag.NewFlagSet("mcpb", flag.ContinueOnError)
	b := bundle{}
	set.StringVar(&b.version, "version", "", "of the program, such as 1.2.0")
	set.StringVar(&b.system, "goos", "", "linux, darwin or windows")
	binary := set.String("binary", "", "the program, built for that system")
	out := set.String("out", "", "the file to write")
	if err := set.Parse(args); err != nil {
		return err
	}
	program, err := os.ReadFile(*binary)
	if err != nil {
		return err
	}
	raw, err := b.zip(program)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(*out, raw, 0o644)
}
