package vectors

import (
	"encoding/json"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
)

// Outage is that an embedder gave nothing.
type Outage struct {
	Embedder string    `json:"embedder"`
	At       time.Time `json:"at"`
	Reason   string    `json:"reason"`
}

const maxOutage = 64 << 10 // bytes

// outagePath is the file of the newest outage, beside that of the vectors.
func outagePath(path string) string { return path + "-outage" }

// Write writes an outage down, beside the vectors at a path. Prepare makes the folder.
func (o Outage) Write(path string, prepare func() error) error {
	src, err := json.Marshal(o)
	if err == nil {
		err = prepare()
	}
	if err != nil {
		return err
	}
	return atomicfile.WriteVolatile(outagePath(path), src)
}

// OutageOf returns the newest outage of an embedder. It reports false if none is known.
func OutageOf(path, embedder string) (Outage, bool) {
	var o Outage
	src, err := disk.ReadRegular(outagePath(path), maxOutage)
	if err != nil || json.Unmarshal(src, &o) != nil {
		return Outage{}, false
	}
	return o, o.Embedder == embedder
}
