package exec

import "fmt"

// OptionError is a mistake in what an option says, not in the program.
type OptionError struct{ Err error }

// Error returns the message.
func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *OptionError) Unwrap() error { return e.Err }

// Optionf makes an OptionError; the message is formatted as by fmt.Errorf.
func Optionf(format string, args ...any) error { return &OptionError{fmt.Errorf(format, args...)} }
