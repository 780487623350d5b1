package exec

import "fmt"

// OptionError is a mistake in an option or a quirk, not in the program.
type OptionError struct{ Err error }

// Error returns the message.
func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *OptionError) Unwrap() error { return e.Err }

// Optionf returns an OptionError with a message that is formatted as by fmt.Errorf.
func Optionf(format string, args ...any) error { return &OptionError{fmt.Errorf(format, args...)} }
