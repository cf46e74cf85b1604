package live

// The limits of what is kept.
const (
	JournalMax = journalMax
	KeysKept   = keysKept
)
