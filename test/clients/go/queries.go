package main

import (
	"time"

	"github.com/leancloud/go-sdk/leancloud"
)

type task struct {
	leancloud.Object
	N     int       `json:"n"`
	Title string    `json:"title"`
	Due   time.Time `json:"due"`
	Tags  []string  `json:"tags"`
}

type trip struct {
	leancloud.Object
	To   *leancloud.Object `json:"to"`
	Days int               `json:"days"`
}

func day(n int) time.Time {
	return time.Date(2024, 5, n, 0, 0, 0, 0, time.UTC)
}

func makeTasks() error {
	for n, title := range []string{"buy milk", "buy Bread", "sleep"} {
		tags := []string{"a", "b"}[:min(n, 2)]
		if _, err := client.Class("Task").Create(&task{N: n + 1, Title: title, Due: day(n + 1), Tags: tags}); err != nil {
			return err
		}
	}
	return nil
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// finds checks which tasks a query gives, in the order of their numbers.
func finds(query *leancloud.Query, wanted ...int) error {
	var found []task
	if err := query.Order("n").Find(&found); err != nil {
		return err
	}
	numbers := []int{}
	for _, one := range found {
		numbers = append(numbers, one.N)
	}
	return expect("what was found", numbers, wanted)
}

func queryCases() []testCase {
	tasks := func() *leancloud.Query { return client.Class("Task").NewQuery() }
	return []testCase{
		{"finds what meets conditions", func() error {
			return first(
				makeTasks(),
				finds(tasks(), 1, 2, 3),
				finds(tasks().EqualTo("title", "sleep"), 3),
				finds(tasks().NotEqualTo("n", 2), 1, 3),
				finds(tasks().GreaterThan("n", 1), 2, 3),
				finds(tasks().LessThanOrEqualTo("due", day(2)), 1, 2),
				finds(tasks().EqualTo("due", day(3)), 3),
				finds(tasks().In("n", []int{1, 3}), 1, 3),
				finds(tasks().NotIn("n", []int{1, 3}), 2),
				finds(tasks().StartsWith("title", "buy"), 1, 2),
				finds(tasks().Regexp("title", "bread", "i"), 2),
				finds(tasks().ContainsAll("tags", []string{"a", "b"}), 3),
			)
		}},
		{"counts, and takes pages in an order", func() error {
			count, err := tasks().GreaterThan("n", 1).Count()
			if err != nil {
				return err
			}
			var page []task
			if err := tasks().Order("-n").Skip(1).Limit(1).Find(&page); err != nil {
				return err
			}
			return first(expect("the count", count, 2), expect("the size", len(page), 1), expect("n", page[0].N, 2))
		}},
		{"takes the first", func() error {
			var one task
			if err := tasks().Order("-n").First(&one); err != nil {
				return err
			}
			return expect("n", one.N, 3)
		}},
		{"selects keys and includes what pointers point to", func() error {
			city, err := client.Class("City").Create(map[string]interface{}{"name": "Turku"})
			if err != nil {
				return err
			}
			var target leancloud.Object
			if err := city.Get(&target); err != nil {
				return err
			}
			if _, err := client.Class("Trip").Create(map[string]interface{}{"to": target, "days": 3}); err != nil {
				return err
			}
			var trips []trip
			if err := client.Class("Trip").NewQuery().Include("to").Select("to").Find(&trips); err != nil {
				return err
			}
			return first(expect("the name", trips[0].To.String("name"), "Turku"), expect("the days", trips[0].Days, 0))
		}},
		{"is told that a class does not exist, and that a condition is none", func() error {
			var found []task
			unknown := client.Class("Nowhere").NewQuery().Find(&found)
			broken := tasks().Regexp("title", "(", "").Find(&found)
			return first(refusedWith(101, unknown), refusedWith(102, broken))
		}},
	}
}
