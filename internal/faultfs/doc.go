// Package faultfs makes the disk fail on purpose, in tests: at the n-th
// operation once, from the n-th on, when it is full, or when the power goes. It plugs into
// [durable.Open] as a hook and is not a file system of its own: what is not
// made to fail happens on the real disk.
//
// A test runs its scenario once for every operation it consists of:
//
//	for f := range faultfs.Crashes() {
//		dir := t.TempDir()
//		scenario(dir, f.Hook)   // stops at the fault
//		check(dir)              // what was acknowledged is there
//	}
//
// Where to look:
//
//	faultfs.go  operations that fail, and disks that are full
//	power.go    what is left when the power goes
package faultfs
