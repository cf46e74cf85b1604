package disk

// dontWait is nothing where no file is a pipe.
const dontWait = 0
