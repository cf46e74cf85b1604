package snapshot

import (
	"context"

	"github.com/cairn-tasks/cairn/store/layout"
)

// MostBases is the limit of a comparison.
const MostBases = mostBases

// TakenFor is takenFor.
var TakenFor = takenFor

// ReadLean reads the records of a work tree as lists have them.
func ReadLean(ctx context.Context, in layout.Layout) (any, error) {
	return fillTree(ctx, diskSource{in}, &treeReader{Layout: in, known: (*tree)(nil).task, lean: true})
}
