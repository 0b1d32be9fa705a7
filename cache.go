package helve

import (
	"slices"
	"sync"
	"time"
)

const maxCached = 1024 // results kept by one executor

// A readCache keeps results of idempotent reads, each for its scope. A finished
// effect empties its scope.
type readCache struct {
	mu     sync.Mutex
	scopes map[cacheScope]*cachedScope
	size   int
}

type cacheScope struct{ tenant, subject string }

type cachedScope struct {
	generation uint64
	results    map[string]cachedResult
}

type cachedResult struct {
	out   *outcome
	until time.Time
}

func (f *flight) cacheKey() (cacheScope, string) {
	return cacheScope{f.scope.Tenant, f.scope.Subject}, f.tool.c.Name + "\x00" + string(f.tool.digest[:]) + string(f.args)
}

// cacheable reports whether this call may be answered from the cache. One that
// a person was asked about is meant to run.
func (f *flight) cacheable() bool {
	return f.tool.c.CacheFor > 0 && f.effect == Read && f.approval == nil
}

// cached answers from the cache, and notes the scope's generation where it cannot.
func (f *flight) cached() *Result {
	if !f.cacheable() {
		return nil
	}
	c := &f.x.cache
	scope, key := f.cacheKey()
	c.mu.Lock()
	s := c.scopes[scope]
	if s == nil {
		c.mu.Unlock()
		return nil
	}
	f.generation = s.generation
	r, ok := s.results[key]
	c.mu.Unlock()
	if !ok || !time.Now().Before(r.until) {
		return nil
	}
	res := f.shape(r.out.clone())
	res.Cached = true
	return res
}

// clone returns a copy of what the cache keeps: what is handed out belongs to
// the caller.
func (out *outcome) clone() *outcome {
	c := *out
	c.reply = nil
	c.Data, c.Warnings, c.Content = out.Data.Clone(), slices.Clone(out.Warnings), slices.Clone(out.Content)
	return &c
}

// keep stores the outcome of a read, unless an effect of its scope finished
// since the read began.
func (c *readCache) keep(f *flight, out *outcome) {
	if !f.cacheable() || out.Error != nil || out.Pending != nil {
		return
	}
	scope, key := f.cacheKey()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size >= maxCached {
		c.scopes, c.size = nil, 0 // rare, and it only costs a second read
	}
	s := c.scopes[scope]
	if s == nil {
		if f.generation != 0 {
			return
		}
		if c.scopes == nil {
			c.scopes = map[cacheScope]*cachedScope{}
		}
		s = &cachedScope{}
		c.scopes[scope] = s
	}
	if s.generation != f.generation {
		return
	}
	if s.results == nil {
		s.results = map[string]cachedResult{}
	}
	if _, known := s.results[key]; !known {
		c.size++
	}
	s.results[key] = cachedResult{out.clone(), time.Now().Add(f.tool.c.CacheFor)}
}

// forget empties the scope of an effect.
func (c *readCache) forget(f *flight) {
	scope := cacheScope{f.scope.Tenant, f.scope.Subject}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.scopes[scope]
	if s == nil {
		if c.scopes == nil {
			c.scopes = map[cacheScope]*cachedScope{}
		}
		s = &cachedScope{}
		c.scopes[scope] = s
	}
	s.generation++
	c.size -= len(s.results)
	s.results = nil
}
