package proc

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// parents returns a function that tells the parent of a process; 0 if it is not known.
func parents() func(int) int {
	of := map[int]int{}
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err == nil {
		defer windows.CloseHandle(all)
		entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
		for err = windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
			of[int(entry.ProcessID)] = int(entry.ParentProcessID)
		}
	}
	return func(pid int) int { return of[pid] }
}

func environOf(int) []string { return nil }
