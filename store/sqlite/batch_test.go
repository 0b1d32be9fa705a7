package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve.dev/helve"
	"helve.dev/helve/store/audit"
)

// Claims that share a commit with some that are refused after they had taken
// their key: those leave nothing behind, and the others are not harmed.
func TestRefusedClaimsInABatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, path, nil)
	const claims, affordable = 60, 10
	var won, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range claims {
		p := &helve.ClaimParams{
			Lease: time.Minute,
			Entry: &helve.Entry{Token: helve.Token{LedgerKey: helve.LedgerKey{Tenant: "t", Scope: "send", Key: fmt.Sprint(i)}}, Arguments: []byte("{}")},
			Audit: []helve.AuditEntry{{Kind: helve.AuditClaimed, Tenant: "t", Effect: helve.Write, CallID: fmt.Sprint(i)}},
		}
		if i%2 == 0 {
			p.Reserve = &helve.Reservation{ID: fmt.Sprint(i), Tenant: "t", Budget: "b", Limit: helve.Budget{Calls: affordable}, Calls: 1, Lease: time.Minute}
		}
		wg.Go(func() {
			switch c, err := s.Claim(t.Context(), p); {
			case errors.Is(err, helve.ErrBudget):
				refused.Add(1)
			case err != nil || !c.Won:
				t.Errorf("claim %d: %+v, %v", i, c, err)
			default:
				won.Add(1)
			}
		})
	}
	wg.Wait()
	const kept = claims/2 + affordable
	if won.Load() != kept || refused.Load() != claims-kept {
		t.Errorf("%d won, %d refused", won.Load(), refused.Load())
	}
	for range 2 { // as this handle knows it, and as it stands in the file
		entries, err := s.Entries(t.Context(), helve.EntryFilter{Tenant: "t"})
		log, aerr := s.Audit(t.Context(), helve.AuditFilter{Tenant: "t"})
		if err := errors.Join(err, aerr); err != nil || len(entries) != kept || len(log) != kept {
			t.Errorf("%d rows, %d entries of the audit, want %d of each: %v", len(entries), len(log), kept, err)
		}
		report, err := audit.Verify(t.Context(), s, "t")
		if err != nil || report.Bad != nil {
			t.Errorf("the audit: %+v, %v", report, err)
		}
		s = open(t, path, nil)
	}
}
