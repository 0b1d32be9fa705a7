-- The tables of a helve.Store.
--
-- Text of callers is spelled as text.go does it, because Postgres holds neither
-- NUL nor bytes that are not UTF-8. Identities are SHA-256 sums that the program
-- makes of their parts: keys may be longer than an index takes. JSON is text and
-- not jsonb, which would lose what a digest was made of.

CREATE TABLE ledger (
    id            bytea PRIMARY KEY, -- of tenant, scope and key
    tenant        text NOT NULL,
    scope         text NOT NULL,
    key           text NOT NULL,
    fence         bigint NOT NULL,
    claim         text NOT NULL,
    state         text NOT NULL,
    fingerprint   bytea NOT NULL,
    ran           bytea NOT NULL,
    arguments     text,
    run           text NOT NULL,
    call_id       text NOT NULL,
    in_run        boolean NOT NULL,
    dedupe        bytea, -- of tenant, scope and dedupe_key
    dedupe_key    text NOT NULL,
    dedupe_window bigint NOT NULL, -- nanoseconds
    dedupe_until  timestamptz,
    approval      text NOT NULL,
    repeatable    boolean NOT NULL,
    attempts      integer NOT NULL,
    record        text,
    claimed       timestamptz NOT NULL,
    updated       timestamptz NOT NULL,
    lease_until   timestamptz
);

CREATE INDEX ledger_list ON ledger (hashtextextended(tenant, 0), updated DESC);
CREATE INDEX ledger_run ON ledger (hashtextextended(run, 0));
CREATE INDEX ledger_dedupe ON ledger (dedupe) WHERE dedupe IS NOT NULL;
CREATE INDEX ledger_unknown ON ledger (fingerprint) WHERE state = 'unknown';
-- What the passing of time makes unknown, and what retention forgets.
CREATE INDEX ledger_lease ON ledger (lease_until) WHERE state = 'running' AND NOT repeatable;
CREATE INDEX ledger_record ON ledger (updated)
    WHERE record IS NOT NULL AND state IN ('succeeded', 'failed', 'retryable');

CREATE TABLE approvals (
    pk               bytea PRIMARY KEY, -- of tenant and id
    seq              bigint GENERATED ALWAYS AS IDENTITY,
    id               text NOT NULL,
    identity         bytea NOT NULL,
    call             bytea, -- of tenant, run and call; null without a run
    tenant           text NOT NULL,
    run              text NOT NULL,
    subject          text NOT NULL,
    tool             text NOT NULL,
    contract         bytea NOT NULL,
    arguments_digest bytea NOT NULL,
    call_id          text NOT NULL,
    effect           smallint NOT NULL,
    arguments        text,
    edited           text,
    policy_version   text NOT NULL,
    rule             text NOT NULL,
    reason           text NOT NULL,
    asked            timestamptz NOT NULL,
    expires          timestamptz NOT NULL,
    state            text NOT NULL,
    decided_by       text NOT NULL DEFAULT '',
    decided_at       timestamptz,
    decision_reason  text NOT NULL DEFAULT ''
);

CREATE INDEX approvals_identity ON approvals (identity, seq DESC);
CREATE INDEX approvals_call ON approvals (call) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_open ON approvals (expires) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_list ON approvals (hashtextextended(tenant, 0), seq);
CREATE INDEX approvals_run ON approvals (hashtextextended(run, 0));

CREATE TABLE budgets (
    id    bytea PRIMARY KEY, -- of tenant and name
    calls bigint NOT NULL,   -- reservations included
    cost  bigint NOT NULL
) WITH (fillfactor = 50); -- rows change often and in place

CREATE TABLE reservations (
    id     bytea PRIMARY KEY, -- of tenant, budget and id
    budget bytea NOT NULL,
    calls  bigint NOT NULL,
    cost   bigint NOT NULL,
    read   boolean NOT NULL,
    until  timestamptz NOT NULL
);

CREATE INDEX reservations_read ON reservations (budget, until) WHERE read;
CREATE INDEX reservations_until ON reservations (until) WHERE read;

CREATE TABLE runs (
    pk      bytea PRIMARY KEY, -- of tenant and id
    tenant  text NOT NULL,
    id      text NOT NULL,
    version bigint NOT NULL,
    kind    text NOT NULL,
    title   text NOT NULL,
    state   text NOT NULL,
    ended   boolean NOT NULL,
    data    bytea,
    created timestamptz NOT NULL,
    updated timestamptz NOT NULL
);

CREATE INDEX runs_list ON runs (hashtextextended(tenant, 0), updated DESC);
CREATE INDEX runs_ended ON runs (updated) WHERE ended;

-- The audit: a Merkle log for each tenant. A transaction that has something to
-- say leaves it in the inbox, where it waits for nobody and does not wait for
-- others; whoever reads a log, or comes by every second, takes what is there
-- over into the log first. So an entry is as durable as what it tells of, and
-- neither a busy tenant nor the hashing holds up a call.
CREATE TABLE audit_inbox (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant  text NOT NULL,
    at      timestamptz NOT NULL,
    entry   text NOT NULL,
    payload text -- null: none
);

-- The head of a log is locked by who takes entries over: they have no gaps.
CREATE TABLE audit_head (
    id     bytea PRIMARY KEY, -- of the tenant
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE, -- "tenant" below
    tenant text NOT NULL,
    size   bigint NOT NULL DEFAULT 0,
    at     bigint NOT NULL DEFAULT 0, -- microseconds of the latest entry
    -- The hashes of the complete subtrees at the right edge, the largest first:
    -- one for each bit of size, as golang.org/x/mod/sumdb/tlog has them.
    edge   bytea NOT NULL DEFAULT ''
);

CREATE TABLE audit (
    tenant bigint NOT NULL,
    seq    bigint NOT NULL,
    at     bigint NOT NULL, -- microseconds since 1970
    entry  text NOT NULL,
    PRIMARY KEY (tenant, seq)
);

-- The nodes of the tree: the leaf of entry seq is node seq-1 of level 0, and node
-- n of a level stands over nodes 2n and 2n+1 of the one below.
CREATE TABLE audit_hash (
    tenant bigint NOT NULL,
    level  smallint NOT NULL,
    n      bigint NOT NULL,
    hash   bytea NOT NULL,
    PRIMARY KEY (tenant, level, n)
);

-- An entry is canonical JSON with no objects inside, so that a member stands in
-- it in exactly one spelling, which nothing else can contain: what is asked for
-- is looked for in the entry itself, and there is no column that could differ
-- from it. These find candidates; a value ends for them at the first quote.
CREATE FUNCTION audit_member(entry text, name text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT hashtextextended(split_part(split_part(entry, name, 2), '"', 1), 0)
$$;

CREATE INDEX audit_run ON audit (tenant, audit_member(entry, '"run":"'), seq);
CREATE INDEX audit_approval ON audit (tenant, audit_member(entry, '"approval":"'), seq)
    WHERE strpos(entry, '"approval":"') > 0;

-- What may be erased: a leaf has the digest only.
CREATE TABLE audit_payload (
    tenant  bigint NOT NULL,
    seq     bigint NOT NULL,
    payload text NOT NULL,
    PRIMARY KEY (tenant, seq)
);
