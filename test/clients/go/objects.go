package main

import (
	"time"

	"github.com/leancloud/go-sdk/leancloud"
)

type todo struct {
	leancloud.Object
	Title    string              `json:"title"`
	Priority int                 `json:"priority"`
	Progress float64             `json:"progress"`
	Done     bool                `json:"done"`
	Due      time.Time           `json:"due"`
	Place    *leancloud.GeoPoint `json:"place"`
	Tags     []string            `json:"tags"`
}

var due = time.Date(2024, 5, 1, 8, 0, 0, 123000000, time.UTC)

func newTodo(title string) (*leancloud.ObjectRef, error) {
	return client.Class("Todo").Create(&todo{
		Title:    title,
		Priority: 1,
		Progress: 12.5,
		Done:     true,
		Due:      due,
		Place:    &leancloud.GeoPoint{Latitude: 31.5, Longitude: 121},
		Tags:     []string{"a", "b"},
	})
}

func objectCases() []testCase {
	return []testCase{
		{"creates objects of a type of its own, and reads them", func() error {
			ref, err := newTodo(`a "text" with <tags> & more`)
			if err != nil {
				return err
			}
			var read todo
			if err := ref.Get(&read); err != nil {
				return err
			}
			return first(
				expect("the id", read.ID, ref.ID),
				expect("the title", read.Title, `a "text" with <tags> & more`),
				expect("the priority", read.Priority, 1),
				expect("the progress", read.Progress, 12.5),
				expect("done", read.Done, true),
				expect("due", read.Due.UTC(), due),
				expect("the place", read.Place, leancloud.GeoPoint{Latitude: 31.5, Longitude: 121}),
				expect("the tags", read.Tags, []string{"a", "b"}),
				expect("whether there is a time of creation", read.CreatedAt.IsZero(), false),
			)
		}},
		{"creates objects of a map, with bytes, pointers and what is nested", func() error {
			page, err := client.Class("Page").Create(map[string]interface{}{"number": 3})
			if err != nil {
				return err
			}
			var target leancloud.Object
			if err := page.Get(&target); err != nil {
				return err
			}
			ref, err := client.Class("Note").Create(map[string]interface{}{
				"data":   []byte("bytes"),
				"page":   target,
				"nested": map[string]interface{}{"list": []interface{}{1, "two"}},
			})
			if err != nil {
				return err
			}
			var read leancloud.Object
			if err := ref.Get(&read); err != nil {
				return err
			}
			return first(
				expect("the bytes", read.Get("data"), []byte("bytes")),
				expect("the pointer", read.Get("page").(*leancloud.Object).ID, page.ID),
				expect("the nested", read.Get("nested"), map[string]interface{}{"list": []interface{}{1, "two"}}),
			)
		}},
		{"changes fields, also by operations", func() error {
			ref, err := newTodo("before")
			if err != nil {
				return err
			}
			err = first(
				ref.Set("title", "after"),
				ref.Update(map[string]interface{}{"priority": leancloud.OpIncrement(4), "progress": leancloud.OpDelete()}),
				ref.Update(map[string]interface{}{"tags": leancloud.OpAddUnique([]string{"b", "c"})}),
				ref.Update(map[string]interface{}{"tags": leancloud.OpRemove([]string{"a"})}),
			)
			if err != nil {
				return err
			}
			var read leancloud.Object
			if err := ref.Get(&read); err != nil {
				return err
			}
			return first(
				expect("the title", read.String("title"), "after"),
				expect("the priority", read.Float("priority"), 5),
				expect("the progress", read.Get("progress"), nil),
				expect("the tags", read.Get("tags"), []string{"b", "c"}),
			)
		}},
		{"changes objects that meet a condition alone", func() error {
			ref, err := newTodo("guarded")
			if err != nil {
				return err
			}
			change := map[string]interface{}{"priority": 9}
			met := client.Class("Todo").NewQuery().EqualTo("title", "guarded")
			failed := client.Class("Todo").NewQuery().EqualTo("title", "other")
			return first(refusedWith(305, ref.UpdateWithQuery(change, failed)), ref.UpdateWithQuery(change, met))
		}},
		{"deletes objects", func() error {
			ref, err := newTodo("short-lived")
			if err != nil {
				return err
			}
			if err := ref.Destroy(); err != nil {
				return err
			}
			count, err := client.Class("Todo").NewQuery().EqualTo("title", "short-lived").Count()
			return first(err, expect("the count", count, 0))
		}},
		{"keeps records of files that lie elsewhere", func() error {
			file := &leancloud.File{Name: "a.txt", MIME: "text/plain", URL: "https://example.org/a.txt", Meatadata: map[string]interface{}{}}
			if err := client.Files.UploadFromURL(file); err != nil {
				return err
			}
			return expect("whether it has an id", file.ID != "", true)
		}},
	}
}
