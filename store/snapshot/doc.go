// Package snapshot reads the records of a workspace as they are in one place, for the rules of cairn check: in the
// working tree, in the index, or in a commit. Package proof judges what is read here, and reads no file itself.
//
// Check reads one such place and the base that it is compared with, and returns the findings about both. The base is
// the commit that a change began at. The caller names it, or the CI does by its variables, or it is where the branch
// left the default one. A place and a base are read alike, so the same records give the same findings wherever they
// are.
//
// What is judged in a working tree is what git would commit of it; Check returns an error where it cannot know that.
//
// ReadRecords reads the working tree alone, without git and without a base.
//
// The package takes no lock and changes nothing. Files that cannot be read are part of what it returns, with the
// reason. It starts no program that the clone names in its config, unless its options say that the user trusts the
// clone.
package snapshot
