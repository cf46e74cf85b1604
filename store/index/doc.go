// Package index answers what the records of a workspace are without reading their files: it keeps a row of each in a
// file, and looks at the stamp of each file instead of its content.
//
//	index.go     what an index is of, where it lies, and when it is believed to be one
//	look.go      a look at the files: which rows are believed, and which files are read
//	view.go      what a look found
//	resting.go   a look at a folder of closed records, which seldom changes
//	clock.go     stamps of files, and from when on one can be believed
//	read.go      reading files on all processors
//	join.go      one view of the records in several folders
//	set.go       the rows of a view, and how two sets differ
//	file.go      the index on disk: how rows become bytes and back
//	count.go     the terms of a record, as each of the two searches reads them
//	postings.go  which records have which terms, and their file
//	search.go    the terms of the records of a view, read where they are not known; filters by text
//	rank.go      a ranked search over records of several kinds
//
// The index is a cache and can be deleted at any time. It is never the cause of a wrong answer:
//
//   - A row is believed only while the stamp of its file (size, times of change, inode) is the one that it was read with.
//   - A file that changed so recently that it may change again within one step of its file system's clock is compared by content.
//   - What is on the file of an index but does not add up (length, checksum, format, kinds) is no index: everything is read.
//   - It is written aside and renamed, so that a reader has all of one or all of another. Two writers do not harm each other: whichever
//     is renamed last stays.
//
// It is not flushed to the disk, since a damaged one is found and made again. Writers of records do not touch it: what
// a write costs does not grow with the number of records. Whoever looks, and finds that much has changed, writes it
// anew.
package index
