package web

import (
	"bytes"
	"html/template"
	"sync"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mark is made when a text is first shown. Tags in a text are dropped, and so are links that run something.
var mark = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(noImages{}, 1))),
	)
})

// markdown is a text of a record as HTML. It holds no tag of the text's own, fetches nothing and runs nothing.
func markdown(src string) template.HTML {
	var b bytes.Buffer
	if err := mark().Convert([]byte(harmless.Text(src)), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(src)) //nolint:gosec // escaped
	}
	return template.HTML(b.String()) //nolint:gosec // raw HTML is off
}

// noImages turns images into links: an image of others is not fetched.
type noImages struct{}

func (noImages) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var images []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			images = append(images, image)
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images {
		link := ast.NewLink()
		link.Destination, link.Title = image.Destination, image.Title
		for child := image.FirstChild(); child != nil; child = image.FirstChild() {
			link.AppendChild(link, child)
		}
		if link.ChildCount() == 0 {
			link.AppendChild(link, ast.NewString([]byte("image")))
		}
		image.Parent().ReplaceChild(image.Parent(), image, link)
	}
}
