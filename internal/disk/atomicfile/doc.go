// Package atomicfile writes files whole or not at all. Every file under .cairn that is worth keeping is written by it.
//
// A write has two steps, so that the caller can check the file once more in between:
//
//	p, err := atomicfile.Prepare(path, data, 0o644) // the bytes are on the disk, under another name
//	if err != nil {
//		return err
//	}
//	defer func() { _ = p.Discard() }()
//	// check here whether another program has changed the file
//	return p.Replace() // or p.Create(), where the file must be new
//
// Whenever the process is killed, path has its old content or its new content, never a mixture. Once Replace or Create
// has returned nil, a power cut does not undo it either, as far as the disk keeps its promises. A crash can leave the
// temporary file; IsTemp recognises it by its name, and Sweep removes it. A write that fails removes it, and returns
// ErrLeft if it cannot.
//
// An existing file keeps its permission bits. Since a new file replaces the old one, it belongs to the user who writes
// it, and other hard links to the old file keep the old content. Only regular files are replaced: a symbolic link is
// refused, because files come from strangers and a link may lead anywhere.
//
// Errors are those of the os package, wrapped; ErrNotRegular and ErrLeft are this package's own.
package atomicfile
