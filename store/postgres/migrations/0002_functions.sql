-- Each method of the store that changes something is one call of a function
-- here, and so one round trip and one transaction. The usual claim and finish are
-- plain statements in ledger.go, which do the same in fewer steps: PL/pgSQL costs
-- about as much again as the row that is written.
--
-- Time is statement_timestamp(): the database's, and the same all through a
-- decision. A decision of "no" is an answer, not an exception, because what time
-- did to a row must be kept with it.
--
-- Whoever needs several locks takes them in this order: advisory locks (the
-- smaller number first), the one ledger row, the approval, the budget. Sweep,
-- which needs many rows, skips what is locked.

-- A number to lock for an identity.
CREATE FUNCTION lock_number(id bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT hashtextextended(encode(id, 'hex'), 0)
$$;

-- audit_append leaves entries in the inbox. An empty payload is none.
CREATE FUNCTION audit_append(p_tenants text[], p_entries text[], p_payloads text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_inbox (tenant, at, entry, payload)
    SELECT i.tenant, statement_timestamp(), i.entry, nullif(i.payload, '')
    FROM unnest(p_tenants, p_entries, p_payloads) AS i(tenant, entry, payload);
END $$;

-- audit_collect takes at most p_limit entries of a tenant over from the inbox into
-- its log, and says how many they were. A hash is that of RFC 6962 and of tlog: of
-- a leaf with a zero byte before it, of two nodes with a one.
CREATE FUNCTION audit_collect(p_head bytea, p_tenant text, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    h     audit_head;
    e     record;
    hash  bytea;
    level smallint;
    n     bigint;
    taken integer := 0;
BEGIN
    IF NOT EXISTS (SELECT FROM audit_inbox WHERE tenant = p_tenant) THEN
        RETURN 0;
    END IF;
    INSERT INTO audit_head (id, tenant) VALUES (p_head, p_tenant) ON CONFLICT (id) DO NOTHING;
    SELECT * INTO STRICT h FROM audit_head WHERE id = p_head FOR UPDATE;
    FOR e IN
        WITH batch AS (SELECT id FROM audit_inbox WHERE tenant = p_tenant ORDER BY id LIMIT p_limit),
        gone AS (DELETE FROM audit_inbox i USING batch WHERE i.id = batch.id RETURNING i.*)
        SELECT * FROM gone ORDER BY id
    LOOP
        -- Never before the entry that it follows.
        h.at := greatest(h.at, (extract(epoch FROM e.at) * 1000000)::bigint);
        n := h.size;
        h.size := n + 1;
        hash := sha256('\x00'::bytea || convert_to('{"at":' || h.at || ',"entry":' || e.entry || ',"seq":' || h.size || '}', 'UTF8'));
        INSERT INTO audit VALUES (h.number, h.size, h.at, e.entry);
        INSERT INTO audit_hash VALUES (h.number, 0, n, hash);
        level := 0;
        WHILE n & 1 = 1 LOOP
            hash := sha256('\x01'::bytea || substr(h.edge, length(h.edge) - 31) || hash);
            h.edge := substr(h.edge, 1, length(h.edge) - 32);
            level := level + 1;
            n := n >> 1;
            INSERT INTO audit_hash VALUES (h.number, level, n, hash);
        END LOOP;
        h.edge := h.edge || hash;
        IF e.payload IS NOT NULL THEN
            INSERT INTO audit_payload VALUES (h.number, h.size, e.payload);
        END IF;
        taken := taken + 1;
    END LOOP;
    UPDATE audit_head SET size = h.size, at = h.at, edge = h.edge WHERE id = p_head;
    RETURN taken;
END $$;

-- budget_lock locks a budget, returns to it what reads reserved whose process is
-- gone, and says how it stands and how many reservations were returned.
CREATE FUNCTION budget_lock(p_budget bytea, OUT calls bigint, OUT cost bigint, OUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
    gone_calls bigint;
    gone_cost  bigint;
BEGIN
    SELECT b.calls, b.cost INTO calls, cost FROM budgets b WHERE b.id = p_budget FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO budgets VALUES (p_budget, 0, 0) ON CONFLICT (id) DO NOTHING;
        SELECT b.calls, b.cost INTO STRICT calls, cost FROM budgets b WHERE b.id = p_budget FOR UPDATE;
    END IF;
    WITH gone AS (
        DELETE FROM reservations r WHERE r.budget = p_budget AND r.read AND r.until <= statement_timestamp()
        RETURNING r.calls, r.cost
    )
    SELECT count(*), coalesce(sum(gone.calls), 0), coalesce(sum(gone.cost), 0) INTO returned, gone_calls, gone_cost FROM gone;
    IF returned > 0 THEN
        calls := calls - gone_calls;
        cost := cost - gone_cost;
        UPDATE budgets b SET calls = budget_lock.calls, cost = budget_lock.cost WHERE b.id = p_budget;
    END IF;
END $$;

-- reserve says whether the budget had enough left, and then takes it.
CREATE FUNCTION reserve(
    p_budget bytea, p_id bytea, p_limit_calls bigint, p_limit_cost bigint,
    p_calls bigint, p_cost bigint, p_lease bigint, p_read boolean
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    b record;
BEGIN
    SELECT * INTO b FROM budget_lock(p_budget);
    IF p_limit_calls > 0 AND p_calls > p_limit_calls - b.calls OR p_limit_cost > 0 AND p_cost > p_limit_cost - b.cost THEN
        RETURN false;
    END IF;
    UPDATE budgets SET calls = b.calls + p_calls, cost = b.cost + p_cost WHERE id = p_budget;
    INSERT INTO reservations (id, budget, calls, cost, read, until)
    VALUES (p_id, p_budget, p_calls, p_cost, p_read, statement_timestamp() + p_lease * interval '1 microsecond')
    ON CONFLICT (id) DO UPDATE SET calls = excluded.calls, cost = excluded.cost, read = excluded.read, until = excluded.until;
    RETURN true;
END $$;

-- settle puts what was spent in the place of a reservation.
CREATE FUNCTION settle(p_budget bytea, p_id bytea, p_calls bigint, p_cost bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    b record;
    r record;
BEGIN
    SELECT * INTO b FROM budget_lock(p_budget);
    DELETE FROM reservations WHERE id = p_id RETURNING calls, cost INTO r;
    IF FOUND THEN
        p_calls := p_calls - r.calls;
        p_cost := p_cost - r.cost;
    END IF;
    UPDATE budgets SET calls = b.calls + p_calls, cost = b.cost + p_cost WHERE id = p_budget;
END $$;

-- standing returns the entries that stand for a dedupe key, but for the one
-- named, by helve.Entry.Stands.
CREATE FUNCTION standing(p_dedupe bytea, p_but bytea) RETURNS SETOF ledger
LANGUAGE sql STABLE AS $$
    SELECT * FROM ledger
    WHERE dedupe = p_dedupe AND id <> p_but AND dedupe_until > statement_timestamp() AND (
        state IN ('succeeded', 'reserved')
        OR state = 'running' AND (NOT repeatable OR lease_until > statement_timestamp())
        OR state = 'unknown' AND NOT repeatable)
$$;

-- twins returns the same call of its run under other keys that may have
-- happened and may not be repeated, those of which that is not noted included.
CREATE FUNCTION twins(p_fingerprint bytea, p_run text, p_scope text, p_tenant text) RETURNS SETOF ledger
LANGUAGE sql STABLE AS $$
    SELECT * FROM ledger WHERE state = 'unknown' AND NOT repeatable
        AND p_run <> '' AND fingerprint = p_fingerprint AND run = p_run AND scope = p_scope AND tenant = p_tenant
    UNION ALL
    SELECT * FROM ledger WHERE state = 'running' AND NOT repeatable AND lease_until <= statement_timestamp()
        AND p_run <> '' AND fingerprint = p_fingerprint AND run = p_run AND scope = p_scope AND tenant = p_tenant
$$;

-- noted returns e after it was made unknown where its holder is lost, by
-- helve.Entry.Lost.
CREATE FUNCTION noted(e ledger) RETURNS ledger
LANGUAGE plpgsql AS $$
BEGIN
    IF e.state = 'running' AND NOT e.repeatable AND e.lease_until <= statement_timestamp() THEN
        UPDATE ledger l SET state = 'unknown', updated = statement_timestamp()
        WHERE l.id = e.id AND l.state = 'running' AND NOT l.repeatable AND l.lease_until <= statement_timestamp();
        SELECT * INTO e FROM ledger l WHERE l.id = e.id; -- somebody else may have been faster
    END IF;
    RETURN e;
END $$;

-- takable is helve.Entry.Takable.
CREATE FUNCTION takable(e ledger, p_fingerprint bytea) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE e.state
        WHEN 'retryable' THEN true
        WHEN 'failed' THEN e.fingerprint <> p_fingerprint
        WHEN 'reserved' THEN e.fingerprint = p_fingerprint AND (e.lease_until IS NULL OR e.lease_until <= statement_timestamp())
        WHEN 'running' THEN e.fingerprint = p_fingerprint AND e.repeatable AND e.lease_until <= statement_timestamp()
        WHEN 'unknown' THEN e.fingerprint = p_fingerprint AND e.repeatable
        ELSE false END
$$;

-- claim is helve.Ledger.Claim. Without p_id it is a read's, which has no entry;
-- without c_pk there is no approval to consume, without r_id nothing to reserve.
-- The entry comes back where it is held by another; who won knows it but for
-- fence and attempts.
CREATE FUNCTION claim(
    p_id bytea, p_tenant text, p_scope text, p_key text, p_claim text, p_fingerprint bytea, p_ran bytea, p_arguments text,
    p_run text, p_call text, p_in_run boolean, p_dedupe bytea, p_dedupe_key text, p_dedupe_window bigint,
    p_approval text, p_repeatable boolean, p_lease bigint,
    c_pk bytea, c_identity bytea,
    r_budget bytea, r_id bytea, r_limit_calls bigint, r_limit_cost bigint, r_calls bigint, r_cost bigint, r_lease bigint, r_read boolean,
    a_tenants text[], a_entries text[], a_payloads text[],
    OUT verdict text, OUT fence bigint, OUT attempts integer, OUT e ledger)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    t       CONSTANT timestamptz := statement_timestamp();
    fresh   boolean := false;
    a       record;
    twin    ledger;
BEGIN
    -- What is held is told without a lock, which would be a write.
    IF p_id IS NOT NULL THEN
        SELECT * INTO e FROM ledger WHERE id = p_id;
        IF FOUND THEN
            e := noted(e);
            IF NOT takable(e, p_fingerprint) THEN
                verdict := 'held';
                RETURN;
            END IF;
        END IF;
    END IF;

    IF p_dedupe IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(lock_number(p_dedupe));
        SELECT * INTO e FROM standing(p_dedupe, p_id) ORDER BY claimed DESC LIMIT 1;
        IF FOUND THEN
            e := noted(e);
            verdict := 'held';
            RETURN;
        END IF;
    END IF;

    -- A new row is put in at once: that is the lock on a key that has none yet.
    IF p_id IS NOT NULL THEN
        SELECT * INTO twin FROM twins(p_fingerprint, p_run, p_scope, p_tenant) WHERE id <> p_id LIMIT 1;
        LOOP
            IF twin.id IS NOT NULL AND NOT EXISTS (SELECT FROM ledger WHERE id = p_id) THEN
                e := noted(twin);
                verdict := 'held';
                RETURN;
            END IF;
            INSERT INTO ledger VALUES (
                p_id, p_tenant, p_scope, p_key, 1, p_claim, 'running', p_fingerprint, p_ran, p_arguments,
                p_run, p_call, p_in_run, p_dedupe, p_dedupe_key, p_dedupe_window, t + p_dedupe_window / 1000 * interval '1 microsecond',
                p_approval, p_repeatable, 1, NULL, t, t, t + p_lease * interval '1 microsecond')
            ON CONFLICT (id) DO NOTHING;
            fresh := FOUND;
            EXIT WHEN fresh;
            SELECT * INTO e FROM ledger WHERE id = p_id FOR UPDATE;
            EXIT WHEN FOUND; -- else it was removed in between
        END LOOP;
        IF NOT fresh THEN
            e := noted(e);
            IF NOT takable(e, p_fingerprint) THEN
                verdict := 'held';
                RETURN;
            END IF;
            IF twin.id IS NOT NULL AND e.state IN ('retryable', 'failed') THEN
                e := noted(twin);
                verdict := 'held';
                RETURN;
            END IF;
        END IF;
    END IF;

    IF c_pk IS NOT NULL THEN
        SELECT state, identity, expires INTO a FROM approvals WHERE pk = c_pk FOR UPDATE;
        IF FOUND AND a.state IN ('pending', 'approved') AND a.expires <= t THEN
            a.state := 'expired';
            UPDATE approvals SET state = 'expired' WHERE pk = c_pk;
        END IF;
        -- helve.Approval.Usable
        verdict := CASE
            WHEN a.state IS NULL THEN 'no_approval'
            WHEN a.identity <> c_identity THEN 'mismatch'
            WHEN a.state = 'approved' THEN NULL
            WHEN a.state = 'consumed' THEN 'consumed'
            WHEN a.state = 'expired' THEN 'expired'
            ELSE 'mismatch' END;
    END IF;
    IF verdict IS NULL AND r_id IS NOT NULL
        AND NOT reserve(r_budget, r_id, r_limit_calls, r_limit_cost, r_calls, r_cost, r_lease, r_read) THEN
        verdict := 'budget';
    END IF;
    IF verdict IS NOT NULL THEN
        IF fresh THEN
            DELETE FROM ledger WHERE id = p_id;
        END IF;
        e := NULL;
        RETURN;
    END IF;

    verdict := 'won';
    fence := 1;
    attempts := 1;
    IF c_pk IS NOT NULL THEN
        UPDATE approvals SET state = 'consumed' WHERE pk = c_pk;
    END IF;
    IF p_id IS NOT NULL AND NOT fresh THEN
        UPDATE ledger SET
            fence = fence + 1, claim = p_claim, state = 'running', fingerprint = p_fingerprint, ran = p_ran, arguments = p_arguments,
            run = p_run, call_id = p_call, in_run = p_in_run, dedupe = p_dedupe, dedupe_key = p_dedupe_key,
            dedupe_window = p_dedupe_window, dedupe_until = t + p_dedupe_window / 1000 * interval '1 microsecond',
            approval = p_approval, repeatable = p_repeatable, attempts = attempts + 1, record = NULL,
            claimed = t, updated = t, lease_until = t + p_lease * interval '1 microsecond'
        WHERE id = p_id;
        fence := e.fence + 1;
        attempts := e.attempts + 1;
        e := NULL;
    END IF;
    IF a_tenants <> '{}' THEN
        PERFORM audit_append(a_tenants, a_entries, a_payloads);
    END IF;
END $$;

-- finish is helve.Ledger.Finish. It says whether the token holds the entry. A read
-- has none and only settles.
CREATE FUNCTION finish(
    p_id bytea, p_fence bigint, p_claim text, p_state text, p_record text,
    s_budget bytea, s_id bytea, s_calls bigint, s_cost bigint,
    a_tenants text[], a_entries text[], a_payloads text[]
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    IF p_id IS NOT NULL THEN
        UPDATE ledger SET state = p_state, record = p_record, updated = statement_timestamp(), lease_until = NULL
        WHERE id = p_id AND fence = p_fence AND claim = p_claim AND state IN ('reserved', 'running', 'unknown');
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    IF s_id IS NOT NULL THEN
        PERFORM settle(s_budget, s_id, s_calls, s_cost);
    END IF;
    IF a_tenants <> '{}' THEN
        PERFORM audit_append(a_tenants, a_entries, a_payloads);
    END IF;
    RETURN true;
END $$;

-- channel names what approvals of this schema are told on.
CREATE FUNCTION channel() RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT 'helve_' || left(encode(sha256(convert_to(current_schema()::text, 'UTF8')), 'hex'), 32)
$$;

-- tell tells those who watch a tenant's approvals. A payload is limited to 8,000
-- bytes: an id that is too long is left out, which means "look again".
CREATE FUNCTION tell(a approvals) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_notify(channel(),
        encode(sha256(convert_to(a.tenant, 'UTF8')), 'hex') || ' ' || a.state || ' '
        || CASE WHEN octet_length(a.id) < 7000 THEN a.id ELSE '' END)
$$;

-- ask is helve.Approvals.Ask. The verdict is 'asked', 'found' or 'mismatch'.
CREATE FUNCTION ask(
    p_pk bytea, p_id text, p_identity bytea, p_call bytea, p_tenant text, p_run text, p_subject text, p_tool text,
    p_contract bytea, p_digest bytea, p_call_id text, p_effect smallint, p_arguments text,
    p_policy_version text, p_rule text, p_reason text, p_ttl bigint, p_follows text,
    a_tenants text[], a_entries text[], a_payloads text[],
    OUT verdict text, OUT a approvals)
LANGUAGE plpgsql AS $$
DECLARE
    t     CONSTANT timestamptz := statement_timestamp();
    one   CONSTANT bigint := lock_number(p_identity);
    other CONSTANT bigint := coalesce(lock_number(p_call), one);
BEGIN
    PERFORM pg_advisory_xact_lock(least(one, other));
    PERFORM pg_advisory_xact_lock(greatest(one, other));
    IF p_call IS NOT NULL THEN
        PERFORM 1 FROM approvals
        WHERE call = p_call AND state IN ('pending', 'approved') AND expires > t AND identity <> p_identity;
        IF FOUND THEN
            verdict := 'mismatch';
            RETURN;
        END IF;
        UPDATE approvals SET state = 'expired' WHERE pk IN (
            SELECT pk FROM approvals
            WHERE call = p_call AND state IN ('pending', 'approved') AND expires <= t AND identity <> p_identity
            FOR UPDATE SKIP LOCKED);
    END IF;
    SELECT * INTO a FROM approvals WHERE identity = p_identity ORDER BY seq DESC LIMIT 1;
    verdict := 'found';
    IF a.state IN ('pending', 'approved', 'denied') AND a.expires > t OR a.state = 'consumed' AND a.id <> p_follows THEN
        RETURN;
    END IF;
    IF a.state IN ('pending', 'approved') THEN
        UPDATE approvals o SET state = 'expired' WHERE o.pk = a.pk AND o.state IN ('pending', 'approved');
        IF FOUND THEN -- else it was used or decided at this moment, and is over all the same
            a.state := 'expired';
            RETURN;
        END IF;
    END IF;
    INSERT INTO approvals (
        pk, id, identity, call, tenant, run, subject, tool, contract, arguments_digest, call_id, effect, arguments,
        policy_version, rule, reason, asked, expires, state)
    VALUES (
        p_pk, p_id, p_identity, p_call, p_tenant, p_run, p_subject, p_tool, p_contract, p_digest, p_call_id, p_effect, p_arguments,
        p_policy_version, p_rule, p_reason, t, t + p_ttl * interval '1 microsecond', 'pending')
    RETURNING * INTO a;
    verdict := 'asked';
    IF a_tenants <> '{}' THEN
        PERFORM audit_append(a_tenants, a_entries, a_payloads);
    END IF;
    PERFORM tell(a);
END $$;

-- decide is helve.Approvals.Decide. The verdict is 'decided', 'same' or why not.
CREATE FUNCTION decide(
    p_pk bytea, p_approve boolean, p_by text, p_reason text, p_arguments text, p_digest bytea,
    a_tenants text[], a_entries text[], a_payloads text[],
    OUT verdict text, OUT a approvals)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT * INTO a FROM approvals WHERE pk = p_pk FOR UPDATE;
    IF NOT FOUND THEN
        verdict := 'no_approval';
        RETURN;
    END IF;
    IF a.state IN ('pending', 'approved') AND a.expires <= statement_timestamp() THEN
        UPDATE approvals SET state = 'expired' WHERE pk = p_pk RETURNING * INTO a;
    END IF;
    -- helve.Approval.Decidable
    verdict := CASE
        WHEN p_digest IS NOT NULL AND p_digest <> a.arguments_digest THEN 'mismatch'
        WHEN a.state = 'pending' THEN 'decided'
        WHEN a.state = 'expired' THEN 'expired'
        WHEN p_approve <> (a.state <> 'denied') OR coalesce(p_arguments, '') <> coalesce(a.edited, '') THEN 'otherwise'
        ELSE 'same' END;
    IF verdict <> 'decided' THEN
        RETURN;
    END IF;
    UPDATE approvals SET
        state = CASE WHEN p_approve THEN 'approved' ELSE 'denied' END, edited = CASE WHEN p_approve THEN p_arguments END,
        decided_by = p_by, decided_at = statement_timestamp(), decision_reason = p_reason
    WHERE pk = p_pk RETURNING * INTO a;
    IF a_tenants <> '{}' THEN
        PERFORM audit_append(a_tenants, a_entries, a_payloads);
    END IF;
    PERFORM tell(a);
END $$;

-- sweep is one step of helve.Ledger.Sweep, of at most p_limit rows of each kind.
-- Zero: for ever. There is one sweep at a time.
CREATE FUNCTION sweep(
    p_results bigint, p_runs bigint, p_limit integer,
    OUT lost bigint, OUT results bigint, OUT runs bigint, OUT returned bigint)
LANGUAGE plpgsql AS $$
DECLARE
    t CONSTANT timestamptz := statement_timestamp();
    r record;
    b record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('helve sweeps ' || current_schema(), 0));
    UPDATE ledger SET state = 'unknown', updated = t WHERE id = ANY (ARRAY(
        SELECT id FROM ledger WHERE state = 'running' AND NOT repeatable AND lease_until <= t
        ORDER BY lease_until LIMIT p_limit FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS lost = ROW_COUNT;
    results := 0;
    IF p_results > 0 THEN
        UPDATE ledger SET record = NULL WHERE id = ANY (ARRAY(
            SELECT id FROM ledger
            WHERE record IS NOT NULL AND state IN ('succeeded', 'failed', 'retryable') AND updated < t - p_results * interval '1 microsecond'
            ORDER BY updated LIMIT p_limit FOR UPDATE SKIP LOCKED));
        GET DIAGNOSTICS results = ROW_COUNT;
    END IF;
    runs := 0;
    IF p_runs > 0 THEN
        FOR r IN
            SELECT o.pk, o.tenant, o.id FROM runs o WHERE o.ended AND o.updated < t - p_runs * interval '1 microsecond'
            ORDER BY o.updated LIMIT p_limit FOR UPDATE SKIP LOCKED
        LOOP
            DELETE FROM ledger l WHERE hashtextextended(l.run, 0) = hashtextextended(r.id, 0) AND l.run = r.id AND l.tenant = r.tenant
                AND l.in_run AND l.state IN ('succeeded', 'failed', 'retryable');
            DELETE FROM approvals a WHERE hashtextextended(a.run, 0) = hashtextextended(r.id, 0) AND a.run = r.id AND a.tenant = r.tenant;
            DELETE FROM runs o WHERE o.pk = r.pk;
            runs := runs + 1;
        END LOOP;
    END IF;
    returned := 0;
    FOR r IN
        SELECT id FROM budgets WHERE id IN (
            SELECT budget FROM reservations WHERE read AND until <= t ORDER BY until LIMIT p_limit)
        FOR UPDATE SKIP LOCKED
    LOOP
        SELECT * INTO b FROM budget_lock(r.id);
        returned := returned + b.returned;
    END LOOP;
END $$;
