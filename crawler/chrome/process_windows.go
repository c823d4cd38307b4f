package chrome

import (
	"errors"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processGroup is a browser and what it has started: a job object. The system closes
// its handle when this process ends, however that happens, and with the last handle
// of the job ends all that runs in it.
type processGroup struct{ job windows.Handle }

func group(*exec.Cmd) {}

// groupOf puts a browser into a job object of its own. What it starts from now on is
// part of it too.
func groupOf(pid int) (processGroup, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return processGroup{}, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var process windows.Handle
		if process, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
			err = errors.Join(windows.AssignProcessToJobObject(job, process), windows.CloseHandle(process))
		}
	}
	if err != nil {
		return processGroup{}, errors.Join(err, windows.CloseHandle(job))
	}
	return processGroup{job}, nil
}

// kill ends a browser and all that it started. It is called once.
func (g processGroup) kill() error {
	return errors.Join(windows.TerminateJobObject(g.job, 1), windows.CloseHandle(g.job))
}

func notRoot(*exec.Cmd) {}

func killUsers(string) int { return 0 }

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }

func memoryOf(int) int64 { return 0 }
