// Package atomicfile writes files whole or not at all. Every file under .cairn that is worth keeping is written by it.
//
// A write has two steps, so that its caller can look at the world once more in between:
//
//	p, err := atomicfile.Prepare(path, data, 0o644) // the bytes are on the disk, under another name
//	if err != nil {
//		return err
//	}
//	defer func() { _ = p.Discard() }()
//	// last look: did somebody change the file meanwhile?
//	return p.Replace() // or p.Create(), where the file must be new
//
// Whatever kills the process, and whenever, path holds its old content or its new content, never a mixture. Once
// Replace or Create has returned nil, a power cut does not take the new content back either, as far as the disk keeps
// its promises. What a crash can leave is the temporary file; IsTemp knows it by its name and Sweep removes it. A write
// that fails removes it itself, and says ErrLeft where it cannot.
//
// A file that exists keeps its permission bits. As it is a new file that takes the old one's place, it belongs to
// whoever wrote it, and other hard links to the old one keep the old content. Only regular files are replaced: a
// symbolic link in the place of a file is refused, because files come from strangers and a link may point anywhere.
//
// Errors are those of the os package, wrapped; ErrNotRegular and ErrLeft are this package's own.
package atomicfile
