package form

import (
	"bufio"
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/itchyny/gojq"
)

// query is a program of jq. It reads no files, no variables of the environment and no modules.
type query struct{ code *gojq.Code }

func compile(program string) (*query, error) {
	parsed, err := gojq.Parse(program)
	var code *gojq.Code
	if err == nil {
		code, err = gojq.Compile(parsed)
	}
	if err != nil {
		return nil, record.Errorf(record.InvalidInput, "--jq is no program of jq: %w", err).WithHint("it is given the JSON that --json prints, as in --jq '.tasks[].id'")
	}
	return &query{code}, nil
}

// print writes each value that the program makes of the whole result on a line of its own: text as it is, null as an
// empty line, and all else as JSON.
func (q *query) print(ctx context.Context, out *bufio.Writer, result any) error {
	data, err := dataOf(result)
	if err != nil {
		return err
	}
	for values := q.code.RunWithContext(ctx, data); ; {
		value, more := values.Next()
		if !more {
			return nil
		}
		if err, failed := value.(error); failed {
			return ended(ctx, err)
		}
		line, err := lineOf(value)
		if err == nil {
			_, err = out.WriteString(line + "\n")
		}
		if err != nil {
			return err
		}
	}
}

func lineOf(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "", nil
	case string:
		return harmless.Text(value), nil
	}
	raw, err := gojq.Marshal(value)
	return harmless.JSON(string(raw)), err
}

// ended is what the end of a program with an error means: halt is none.
func ended(ctx context.Context, err error) error {
	var halted *gojq.HaltError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &halted) && halted.Value() == nil:
		return nil
	default:
		return record.Errorf(record.InvalidInput, "--jq: %w", err).WithHint("it is given the JSON that --json prints; --jq keys lists its keys")
	}
}
