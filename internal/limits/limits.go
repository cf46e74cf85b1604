// Package limits has the bounds that tests set to other values, before anything else runs. To programs they are
// constants.
package limits

var (
	// ClaimsBudget is how many pushes and fetches a minute claims may cost a clone. With less than 6 renewals have no room
	// beside a fetch and a claim; hosts recommend no more.
	ClaimsBudget = 6

	// FolderMax is how many tasks archive puts into one folder, and how many files the folder of tasks has before doctor
	// tells.
	FolderMax = 3000
)
