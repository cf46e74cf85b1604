// Package place finds the files of records: in the folder of their kind, or at rest in one of the folders of months
// (kind.Kind.Rest). Who reads or writes the file of a record asks here where it lies.
//
// One file of an id counts. That in the folder of the kind comes before those at rest, and of these the one in the
// newest month comes first. Any other file of that id is a problem of its own (problem.Second).
//
// Records may be moved by hand and by git at any time, so nothing is remembered between two calls. A workspace without
// records at rest pays one look for a folder that is not there.
package place
