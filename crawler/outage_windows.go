package crawler

import (
	"errors"
	"syscall"
)

// Numbers of Windows, which package syscall has no names for.
const (
	wsaEMFILE        = syscall.Errno(10024)
	wsaEADDRNOTAVAIL = syscall.Errno(10049)
	wsaENETDOWN      = syscall.Errno(10050)
	wsaENETUNREACH   = syscall.Errno(10051)
	wsaENOBUFS       = syscall.Errno(10055)
	tooManyOpenFiles = syscall.Errno(4)
	notEnoughMemory  = syscall.Errno(8)
	handleDiskFull   = syscall.Errno(39)
	diskFull         = syscall.Errno(112)
	writeProtect     = syscall.Errno(19)
)

// ownErrors are those of a machine that has run out of something.
var ownErrors = []error{wsaEMFILE, wsaENOBUFS, wsaEADDRNOTAVAIL, tooManyOpenFiles, notEnoughMemory}

// diskErrors are those of a disk that takes nothing any more.
var diskErrors = []error{handleDiskFull, diskFull, writeProtect}

// unreachableNetwork reports whether this machine knows no way to a network.
func unreachableNetwork(err error) bool {
	return errors.Is(err, wsaENETUNREACH) || errors.Is(err, wsaENETDOWN)
}
