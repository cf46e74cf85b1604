// Command yardstick does what a program that keeps a file for each task cannot avoid, and nothing else, so that
// tools/bench can say what a figure is made of. It prints how long the work took, without the start of the process, in
// nanoseconds:
//
//	yardstick stat DIR...   the names in the folders, and one lstat of each file
//	yardstick read DIR...   the content of each file
//	yardstick write DIR     one durable write: a new file, fsync, rename, fsync of the folder
//
// With peak it runs another program, and prints the most memory that this one had, in bytes. On Linux a process counts
// the memory of its parent as its own until it has started, so the parent must be small.
//
//	yardstick peak PROGRAM ARG...
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "yardstick:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: yardstick stat|read|write DIR, yardstick peak PROGRAM ARG")
	}
	began := time.Now()
	var err error
	switch args[0] {
	case "stat":
		err = each(args[1:], func(_ string, e os.DirEntry) error {
			_, err := e.Info()
			return err
		})
	case "read":
		err = each(args[1:], func(path string, _ os.DirEntry) error {
			_, err := os.ReadFile(path)
			return err
		})
	case "write":
		err = write(args[1])
	case "peak":
		return peak(args[1], args[2:])
	default:
		err = fmt.Errorf("there is no %s", args[0])
	}
	if err == nil {
		fmt.Println(time.Since(began).Nanoseconds())
	}
	return err
}

// each calls do for every file of the folders.
func each(dirs []string, do func(path string, e os.DirEntry) error) error {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := do(filepath.Join(dir, e.Name()), e); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes a file of two kilobytes so that it is there after a power cut, and removes it.
func write(dir string) error {
	f, err := os.CreateTemp(dir, ".yardstick-")
	if err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, 2<<10)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	name := f.Name() + ".written"
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	return os.Remove(name)
}

// peak runs a program, passes on what it says on standard error, and prints its peak memory.
func peak(program string, args []string) error {
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Println(peakOf(cmd.ProcessState))
	return nil
}
