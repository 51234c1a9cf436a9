// Package files is what tables in files need of the system: memory that is a file,
// blocks that are reserved, locks against a second writer, and renames that outlive
// a crash.
//
// Mappings exist on Linux and macOS. What else is here works everywhere; where a
// system has no such thing (locks and the fsync of a folder on Windows), it does
// nothing.
package files
