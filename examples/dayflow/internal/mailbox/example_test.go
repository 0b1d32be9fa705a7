package mailbox_test

import (
	"errors"
	"fmt"
	"time"

	"helve.dev/helve/examples/dayflow/internal/mailbox"
	"helve.dev/helve/examples/dayflow/internal/sample"
)

func ExampleBox_Received() {
	box, err := mailbox.OpenFS(sample.FS, ".")
	if err != nil {
		fmt.Println(err)
		return
	}
	lisbon, err := time.LoadLocation(sample.TZ)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range box.Received(box.MostFrequentRecipient(), sample.Today, lisbon, 2) {
		fmt.Printf("%s: %s\n", m.From.Name, m.Subject)
	}
	// Output:
	// Mei Tan: Lunch on Friday?
	// Ines Faria: Proofs for the museum catalogue
	// Support: Action needed: mailbox check
	// Okafor, Ngozi: Quote for 2,000 posters
	// Accounts: Invoice 2026-118: please confirm
}

func ExampleOpen() {
	_, err := mailbox.Open("no/such/folder")
	fmt.Println(errors.Is(err, mailbox.ErrUnavailable))
	// Output: true
}

func ExampleParse() {
	m, err := mailbox.Parse([]byte("From: =?iso-8859-1?Q?Jos=E9?= <jose@example.com>\r\n" +
		"Date: Wed, 11 Mar 2026 09:00:00 +0000\r\n" +
		"Subject: =?utf-8?B?T2zDoQ==?=\r\n" +
		"Content-Type: text/html; charset=utf-8\r\n\r\n" +
		"<style>p { color: red }</style><p>At <b>noon</b>?</p>"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s: %s\n", m.From.Name, m.Subject, m.Body)
	// Output: José: Olá: At noon?
}
