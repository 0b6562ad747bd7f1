package main

import (
	"bytes"
	"fmt"
	"io/ioutil"
	"net/http"
	"os"
	"path/filepath"

	"github.com/leancloud/go-sdk/leancloud"
)

func content(size int) []byte {
	made := make([]byte, size)
	for place := range made {
		made[place] = byte(place*31 + place>>8)
	}
	return made
}

// comesBack compares what is behind the URL of a file, and lets the client read its record.
func comesBack(file *leancloud.File, wanted []byte) error {
	answer, err := http.Get(file.URL)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	got, err := ioutil.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, wanted) {
		return fmt.Errorf("%d other bytes (%s) behind %s", len(got), answer.Status, file.URL)
	}
	// It checks what it gets, and forgets it.
	return client.File(file.ID).Get(&leancloud.File{})
}

func fileCases() []testCase {
	cases := []testCase{}
	for _, each := range []int{1, 300000, 5000001} {
		size := each
		cases = append(cases, testCase{fmt.Sprintf("uploads a file of %d bytes", size), func() error {
			file := &leancloud.File{Name: "报告 1.bin", MIME: "application/octet-stream"}
			if err := client.Files.Upload(file, bytes.NewReader(content(size))); err != nil {
				return err
			}
			return comesBack(file, content(size))
		}})
	}
	return append(cases,
		testCase{"uploads a file of the disk", func() error {
			folder, err := ioutil.TempDir("", "homeport-go")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			path := filepath.Join(folder, "磁盘.txt")
			if err := ioutil.WriteFile(path, content(70000), 0o600); err != nil {
				return err
			}
			file, err := client.Files.UploadFromFile(path)
			if err != nil {
				return err
			}
			return comesBack(file, content(70000))
		}},
		testCase{"deletes a file with the master key", func() error {
			file := &leancloud.File{Name: "gone.bin", MIME: "application/octet-stream"}
			if err := client.Files.Upload(file, bytes.NewReader(content(100))); err != nil {
				return err
			}
			ref := client.File(file.ID)
			if err := first(refusedWith(403, ref.Destroy()), ref.Destroy(leancloud.UseMasterKey(true))); err != nil {
				return err
			}
			answer, err := http.Get(file.URL)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			return expect("the status", answer.StatusCode, 404)
		}},
	)
}
