-- Times are microseconds since 1970, by the clock of the machine.

CREATE TABLE ledger (
  tenant       TEXT NOT NULL,
  scope        TEXT NOT NULL,
  key          TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('reserved','running','retryable','succeeded','failed','unknown')),
  fence        INTEGER NOT NULL,
  claim        TEXT NOT NULL,
  fingerprint  BLOB NOT NULL,
  ran          BLOB NOT NULL,
  arguments    TEXT NOT NULL,
  run          TEXT NOT NULL,
  call_id      TEXT NOT NULL,
  in_run       INTEGER NOT NULL,
  dedupe       TEXT NOT NULL,
  dedupe_until INTEGER NOT NULL,
  approval     TEXT NOT NULL,
  repeatable   INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  record       TEXT,
  claimed      INTEGER NOT NULL,
  updated      INTEGER NOT NULL,
  lease_until  INTEGER NOT NULL,
  PRIMARY KEY (tenant, scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_dedupe ON ledger (tenant, scope, dedupe, dedupe_until) WHERE dedupe <> '';
CREATE INDEX ledger_open ON ledger (state, lease_until) WHERE state IN ('reserved','running','unknown');
CREATE INDEX ledger_twin ON ledger (tenant, scope, run, fingerprint) WHERE state = 'unknown';
CREATE INDEX ledger_updated ON ledger (tenant, updated);
CREATE INDEX ledger_kept ON ledger (updated) WHERE record IS NOT NULL AND state IN ('succeeded','failed','retryable');
CREATE INDEX ledger_run ON ledger (tenant, run) WHERE in_run = 1;

CREATE TABLE approvals (
  n               INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  tenant          TEXT NOT NULL,
  run             TEXT NOT NULL,
  subject         TEXT NOT NULL,
  tool            TEXT NOT NULL,
  contract        BLOB NOT NULL,
  digest          BLOB NOT NULL,
  call_id         TEXT NOT NULL,
  effect          TEXT NOT NULL,
  arguments       TEXT NOT NULL,
  edited          TEXT,
  policy_version  TEXT NOT NULL,
  rule            TEXT NOT NULL,
  reason          TEXT NOT NULL,
  asked           INTEGER NOT NULL,
  expires         INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending','approved','denied','expired','consumed')),
  decided_by      TEXT NOT NULL,
  decided_at      INTEGER NOT NULL,
  decision_reason TEXT NOT NULL,
  changed         INTEGER NOT NULL -- rises with each question and decision, for those who watch
) STRICT;
CREATE INDEX approvals_identity ON approvals (tenant, run, subject, tool, contract, digest);
CREATE INDEX approvals_call ON approvals (tenant, run, call_id) WHERE state IN ('pending','approved');
CREATE INDEX approvals_changed ON approvals (changed);

CREATE TABLE budgets (
  tenant TEXT NOT NULL,
  budget TEXT NOT NULL,
  calls  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  PRIMARY KEY (tenant, budget)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservations (
  tenant      TEXT NOT NULL,
  budget      TEXT NOT NULL,
  id          TEXT NOT NULL,
  calls       INTEGER NOT NULL,
  cost        INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  read        INTEGER NOT NULL,
  PRIMARY KEY (tenant, budget, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reservations_reads ON reservations (lease_until) WHERE read = 1;

CREATE TABLE runs (
  tenant  TEXT NOT NULL,
  id      TEXT NOT NULL,
  version INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  title   TEXT NOT NULL,
  state   TEXT NOT NULL,
  ended   INTEGER NOT NULL,
  data    BLOB,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_updated ON runs (tenant, updated);
CREATE INDEX runs_ended ON runs (updated) WHERE ended = 1;

-- The audit: a Merkle log for each tenant. What is asked for most often is
-- indexed out of the entry itself, so that it cannot differ from it.
CREATE TABLE audit_head (
  tenant TEXT NOT NULL PRIMARY KEY,
  size   INTEGER NOT NULL,
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  tenant TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  entry  TEXT NOT NULL,
  PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_run ON audit (tenant, json_extract(entry, '$.run'), seq);
CREATE INDEX audit_approval ON audit (tenant, json_extract(entry, '$.approval'), seq) WHERE json_extract(entry, '$.approval') IS NOT NULL;

CREATE TABLE audit_payload (
  tenant  TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (tenant, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_hash (
  tenant TEXT NOT NULL,
  level  INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  hash   BLOB NOT NULL,
  PRIMARY KEY (tenant, level, n)
) STRICT, WITHOUT ROWID;
