package board

import "github.com/cairn-tasks/cairn/store/problem"

func problemOf(path, message string) problem.Problem {
	return problem.Problem{Path: path, Message: message}
}
