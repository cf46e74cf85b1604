package store

import (
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
)

// Judge holds the files under .cairn, as they lie on the disk, against the rules of package proof. It takes no lock, so
// what a writer has half done can be among the findings, and it does not ask git.
func (l Layout) Judge(ctx context.Context) ([]proof.Finding, error) {
	tree, err := l.fillTree(ctx, diskSource{l}, &treeReader{Layout: l, known: (*tree)(nil).task, lean: true})
	if err != nil {
		return nil, err
	}
	return proof.Judge(tree.Tree), nil
}
