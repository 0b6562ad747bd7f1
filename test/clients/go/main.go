// A program that uses the official Go client as it is. Called with "client" it runs cases against an app and prints a
// line of JSON for each; called otherwise it is the app's cloud code.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type testCase struct {
	name string
	run  func() error
}

type report struct {
	Case    string `json:"case"`
	Failure string `json:"failure,omitempty"`
}

func main() {
	if len(os.Args) < 2 || os.Args[1] != "client" {
		serveCloudCode()
		return
	}
	lines := json.NewEncoder(os.Stdout)
	for _, group := range [][]testCase{userCases(), objectCases(), queryCases(), fileCases()} {
		for _, one := range group {
			if err := lines.Encode(report{Case: one.name, Failure: outcome(one.run)}); err != nil {
				panic(err)
			}
		}
	}
}

// outcome says why a case failed; nothing when it did not. The client panics where it meets what it does not expect.
func outcome(run func() error) (failure string) {
	defer func() {
		if reason := recover(); reason != nil {
			failure = fmt.Sprint("panic: ", reason)
		}
	}()
	if err := run(); err != nil {
		return err.Error()
	}
	return ""
}

func expect(what string, got, wanted interface{}) error {
	g, w := text(got), text(wanted)
	if g != w {
		return fmt.Errorf("%s is %s, not %s", what, g, w)
	}
	return nil
}

func text(value interface{}) string {
	bytes, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(bytes)
}

// first is the first of some errors.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
