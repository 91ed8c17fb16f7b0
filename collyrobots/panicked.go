package collyrobots

import "fmt"

// panicked is a panic of the user's transport or store, as an error. They are called in goroutines of our own, which nobody else can keep from
// ending the process.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap lets errors.Is see the error that the panic was called with.
func (p panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// catch makes a panic the error of the function that defers it.
func catch(err *error) {
	if p := recover(); p != nil {
		*err = panicked{p}
	}
}
