// Package files is what tables in files need of the system: memory that is a file,
// blocks that are reserved, locks against a second writer, and renames that outlive
// a crash.
//
// Mappings exist on Linux and macOS. What else is here works everywhere, but that
//   - a folder is locked on Linux, macOS and Windows, where a file in it has the lock;
//   - the names in a folder are synced on Unix, and on Windows where it allows that.
//     There a rename replaces a file, but may not outlive a crash: MoveFileEx could
//     write a rename through, os.Rename does not ask for it.
package files
