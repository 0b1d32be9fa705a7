package helve

// PublicKey is the key of an entry as its handler sees it.
func PublicKey(k LedgerKey) string { return k.public() }
