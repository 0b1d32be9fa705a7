package tasks_test

import (
	"context"
	"fmt"

	"helve.dev/helve/examples/dayflow/internal/day"
	"helve.dev/helve/examples/dayflow/internal/tasks"
)

func ExampleStore_Create() {
	ctx := context.Background()
	store, err := tasks.Open("")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	due := day.MustParse("2026-03-12")
	for _, title := range []string{"Send proofs", "Send proofs", "Send the quote"} {
		task, created, err := store.Create(ctx, tasks.Task{Title: title, Due: &due, Key: "proofs-1@example.com"})
		fmt.Println(task.ID, created, err)
	}
	// Output:
	// task_1 true <nil>
	// task_1 false <nil>
	//  false the key belongs to another task: key "proofs-1@example.com", task task_1
}

func ExampleStore_List() {
	ctx := context.Background()
	store, err := tasks.Open("")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	for _, title := range []string{"Send proofs", "Book a table"} {
		if _, _, err := store.Create(ctx, tasks.Task{Title: title}); err != nil {
			fmt.Println(err)
			return
		}
	}
	if _, err := store.Complete(ctx, "task_1"); err != nil {
		fmt.Println(err)
		return
	}
	list, err := store.List(ctx, false)
	fmt.Println(len(list), list[0].Title, err)
	// Output: 1 Book a table <nil>
}
