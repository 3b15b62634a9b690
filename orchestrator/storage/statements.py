"""Every SQL statement of the orchestrator, as psycopg runs it.

A reset is one statement and a step is two: CLAIM takes the step and loads the episode, COMMIT writes the record and
the episode together. A step that only reads may be COMMIT_READ alone. The other statements are rare.
"""

from __future__ import annotations

from .names import FREE, MEANT, UID

EPISODE_COLUMNS = f"""
id, world, chain, base, scenario, version, seed, chaos, size, profile, mode, max_steps, step, sim_now, due, total, hash,
done, terminated, truncated, success, invalid, lineage, origin, chaos_now, faults,
{UID}
"""

#: How long after a layer's last step an abandoned call or a redelivered event may still reach it.
STRAGGLING = "interval '10 seconds'"
#: The same after an abandoned step, or during a step.
BUSY = "interval '60 seconds'"

#: Schedules layers for inspection once nothing can reach them anymore; the last user to leave one decides.
_LEAVE = """
INSERT INTO orchestrator.garbage AS g (layer, due_at)
SELECT layer, max(clock_timestamp() + {after}) FROM {who}, unnest(chain || lineage) AS layer
WHERE layer > 0 GROUP BY layer ORDER BY layer
ON CONFLICT (layer) DO UPDATE SET due_at = greatest(g.due_at, excluded.due_at), reaped = false
"""
LEAVE = _LEAVE.replace("{after}", "interval '{after}'")
LEAVE_EPISODE = _LEAVE.replace("{after}", f"CASE WHEN claim_action IS NULL THEN {STRAGGLING} ELSE {BUSY} END")
_LEAVE_AT_THE_END = _LEAVE.replace(
    "{after}", f"CASE WHEN %(invalid)s::text IS NULL THEN {STRAGGLING} ELSE {BUSY} END"
)

#: Clears the columns of a running step in an episode's row.
UNCLAIMED = """
claim_action = NULL, claim_token = NULL, claim_since = NULL, failures = 0, used_at = clock_timestamp()
"""

_BASE = """
base AS (
    SELECT layer, due, nextval('orchestrator.worlds') AS world
    FROM orchestrator.bases WHERE digest = %(base)s AND ready
)"""

_OPENED = """
INSERT INTO orchestrator.episodes AS e (
    id, world, chain, base, scenario, version, seed, chaos, size, profile, mode, max_steps, sim_now, due, hash, player,
    agent)
SELECT
    %(id)s, world, ARRAY[layer, world], %(base)s, %(scenario)s, %(version)s, %(seed)s, %(chaos)s, %(size)s, %(profile)s,
    %(mode)s, %(max_steps)s, %(sim_now)s, due, %(hash)s, %(player)s, %(agent)s
FROM base
"""

#: Opens an episode over a base under an unused id. No row: the base is not ready.
OPEN = f"WITH {_BASE} {_OPENED} RETURNING world"

#: Opens an episode over a base, in place of one of the same id. No row: the base is not ready, or the name is held.
REOPEN = f"""
WITH {_BASE}, replaced AS (
    SELECT e.chain, e.lineage, e.claim_action FROM orchestrator.episodes e, base WHERE e.id = %(id)s AND {FREE}
), left_behind AS ({LEAVE_EPISODE.format(who="replaced")})
{_OPENED}
ON CONFLICT (id) DO UPDATE SET
    world = excluded.world, chain = excluded.chain, base = excluded.base, scenario = excluded.scenario,
    version = excluded.version, seed = excluded.seed, chaos = excluded.chaos, size = excluded.size,
    profile = excluded.profile, mode = excluded.mode, max_steps = excluded.max_steps, step = 0,
    sim_now = excluded.sim_now, due = excluded.due, total = 0, hash = excluded.hash, done = false, terminated = false,
    truncated = false, success = NULL, invalid = NULL, lineage = '{{}}', begun = 0, origin = NULL,
    chaos_now = NULL, faults = '{{}}', player = excluded.player, agent = excluded.agent, {UNCLAIMED}
WHERE {FREE}
RETURNING world
"""  # noqa: S608

#: Claims a step, unless the episode is done or not the one that is meant, another number is due, another action holds
#: the step, or the token is not that of the episode's agent.
CLAIM = f"""
UPDATE orchestrator.episodes SET
    claim_action = %(action)s, claim_token = %(token)s,
    claim_since = CASE WHEN claim_action IS NULL THEN clock_timestamp() ELSE claim_since END,
    used_at = clock_timestamp()
WHERE id = %(id)s AND NOT done AND coalesce(%(step)s::int, step + 1) = step + 1
    AND coalesce(claim_action, %(action)s) = %(action)s
    AND (%(agent)s::text IS NULL OR agent = %(agent)s) AND {MEANT}
RETURNING {EPISODE_COLUMNS}, failures > 0
"""  # noqa: S608

_PLAYED = """
played AS (
    UPDATE orchestrator.episodes SET
        step = %(step)s, sim_now = %(sim_now)s, due = %(due)s, total = %(total)s, hash = %(hash)s, done = %(done)s,
        terminated = %(terminated)s, truncated = %(truncated)s, success = %(success)s, invalid = %(invalid)s,
        faults = coalesce(%(faults)s::jsonb, faults),
        claim_action = NULL, claim_token = NULL, claim_since = NULL, failures = 0
    WHERE world = %(world)s AND claim_token = %(token)s
    RETURNING world, chain, lineage
)"""

#: The same for a step that was not claimed: the episode must be unclaimed and as it was before the step.
_READ = f"""
played AS (
    UPDATE orchestrator.episodes SET
        step = %(step)s, sim_now = %(sim_now)s, due = %(due)s, total = %(total)s, hash = %(hash)s,
        faults = coalesce(%(faults)s::jsonb, faults), used_at = clock_timestamp()
    WHERE id = %(id)s AND world = %(world)s AND chain = %(chain)s AND step = %(step)s - 1 AND hash = %(previous)s
        AND NOT done AND claim_action IS NULL AND chaos_now IS NULL
        AND (%(agent)s::text IS NULL OR agent = %(agent)s) AND {MEANT}
    RETURNING world
)"""  # noqa: S608

_RECORDED = """
INSERT INTO orchestrator.steps (world, step, record) SELECT world, %(step)s, %(record)s FROM played
RETURNING world
"""

#: Writes a step's record and the episode after it; no row if the claim was lost.
COMMIT = f"WITH {_PLAYED} {_RECORDED}"

#: Writes the record of a step that only read and was not claimed; no row if the episode is not as it was.
COMMIT_READ = f"WITH {_READ} {_RECORDED}"

#: The same as `COMMIT` for a step that ends the episode.
END = f"WITH {_PLAYED}, left_behind AS ({_LEAVE_AT_THE_END.format(who='played')}) {_RECORDED}"

#: Counts a failed attempt at a step; returns the failures, and the seconds since its first claim.
FAIL = """
UPDATE orchestrator.episodes SET failures = failures + 1
WHERE world = %(world)s AND claim_token = %(token)s
RETURNING failures, extract(epoch FROM clock_timestamp() - claim_since)::float8
"""

#: Claims the next step in order to end the episode, unless it was active within this many seconds.
SEIZE = f"""
UPDATE orchestrator.episodes SET claim_token = %(token)s
WHERE id = %(id)s AND NOT done
    AND coalesce(claim_since, used_at) <= clock_timestamp() - make_interval(secs => %(after_s)s)
    AND used_at <= clock_timestamp() - make_interval(secs => %(after_s)s)
RETURNING {EPISODE_COLUMNS}, failures > 0
"""  # noqa: S608

IS_CLAIMED = "SELECT 1 FROM orchestrator.episodes WHERE id = %(id)s AND claim_action IS NOT NULL"

#: Puts a new chaos in force from the next step on, between two steps of an open episode.
SET_CHAOS = f"""
UPDATE orchestrator.episodes SET chaos_now = %(chaos)s, used_at = clock_timestamp()
WHERE id = %(id)s AND world = %(world)s AND step = %(step)s AND NOT done AND claim_action IS NULL
RETURNING {EPISODE_COLUMNS}
"""  # noqa: S608

EPISODE = f"SELECT {EPISODE_COLUMNS} FROM orchestrator.episodes WHERE id = %(id)s"  # noqa: S608

#: The episode of an agent's token, given its digest.
EPISODE_OF_AGENT = f"SELECT {EPISODE_COLUMNS} FROM orchestrator.episodes WHERE agent = %(agent)s"  # noqa: S608

EPISODES = f"""
SELECT {EPISODE_COLUMNS} FROM orchestrator.episodes
WHERE world > %(after)s
    AND (%(scenario)s::text IS NULL OR scenario = %(scenario)s)
    AND (%(done)s::bool IS NULL OR done = %(done)s)
    AND (%(success)s::bool IS NULL OR success = %(success)s)
ORDER BY world LIMIT %(limit)s
"""  # noqa: S608

NEWEST = f"""
SELECT {EPISODE_COLUMNS} FROM orchestrator.episodes WHERE done = %(done)s ORDER BY world DESC LIMIT %(limit)s
"""  # noqa: S608

COUNTS = """
SELECT count(*), count(*) FILTER (WHERE NOT done), count(*) FILTER (WHERE done), count(*) FILTER (WHERE success),
    count(*) FILTER (WHERE invalid IS NOT NULL)
FROM orchestrator.episodes
"""

#: The open episodes, and for how many seconds yet the stack takes no resets.
OCCUPANCY = """
SELECT (SELECT count(*) FROM orchestrator.episodes WHERE NOT done),
    coalesce((SELECT extract(epoch FROM until - now())::float FROM orchestrator.drains WHERE until > now()), 0)
"""

DRAIN = """
INSERT INTO orchestrator.drains (until) VALUES (now() + %(seconds)s::float * interval '1 second')
ON CONFLICT (is_only) DO UPDATE SET until = excluded.until
"""

OPEN_WORLDS = "SELECT id, world FROM orchestrator.episodes WHERE id = ANY(%(ids)s) AND NOT done"

RECORD = "SELECT record FROM orchestrator.steps WHERE world = ANY(%(worlds)s) AND step = %(step)s"

RECORDS = """
SELECT record FROM orchestrator.steps
WHERE world = ANY(%(worlds)s) AND step > %(after)s AND step <= %(until)s ORDER BY step
"""

_CLOSED = f"""
RETURNING chain, lineage, claim_action),
left_behind AS ({LEAVE_EPISODE.format(who="closed")})
SELECT 1 FROM closed
"""  # noqa: S608

CLOSE = f"""
WITH closed AS (DELETE FROM orchestrator.episodes WHERE id = %(id)s AND {MEANT} {_CLOSED}
"""  # noqa: S608

#: Closes an unfinished episode unless another plays it under the same name by now.
ABANDON = f"""
WITH closed AS (DELETE FROM orchestrator.episodes WHERE id = %(id)s AND player = %(player)s AND NOT done {_CLOSED}
"""  # noqa: S608

#: Ends the open episodes that were unused for too long; their records stay.
EXPIRE = f"""
WITH expired AS (
    UPDATE orchestrator.episodes SET
        done = true, truncated = true, success = false, invalid = %(why)s, claim_action = NULL, claim_token = NULL
    WHERE NOT done AND used_at < clock_timestamp() - make_interval(secs => %(idle_s)s)
    RETURNING chain, lineage, scenario
), left_behind AS ({LEAVE.format(who="expired", after="10 seconds")})
SELECT scenario, count(*) FROM expired GROUP BY scenario
"""  # noqa: S608

#: Deletes finished episodes beyond the number to keep, oldest first, snapshots unused for too long, and ladders without
#: a rung.
PRUNE = f"""
WITH surplus AS (
    SELECT world FROM orchestrator.episodes WHERE done ORDER BY world DESC OFFSET %(keep)s
), mine AS (
    -- Replicas do this at the same time.
    SELECT world FROM orchestrator.episodes WHERE world IN (SELECT world FROM surplus) FOR UPDATE SKIP LOCKED
), closed AS (
    DELETE FROM orchestrator.episodes WHERE world IN (SELECT world FROM mine) RETURNING chain, lineage
), dropped AS (
    DELETE FROM orchestrator.snapshots
    WHERE NOT pinned AND used_at < clock_timestamp() - make_interval(secs => %(idle_s)s)
    RETURNING chain, lineage
), forgotten AS (
    DELETE FROM orchestrator.ladders WHERE NOT EXISTS (SELECT 1 FROM orchestrator.snapshots WHERE id = ANY(rungs))
), gone AS (SELECT * FROM closed UNION ALL SELECT * FROM dropped)
{LEAVE.format(who="gone", after="0 seconds")}
"""  # noqa: S608

#: Layers to inspect, possibly ahead of time: whether anything still reads them, whether anything still needs
#: the records of their steps, and whether they are due. A layer inspected ahead of time is inspected again
#: when it is due.
GARBAGE = """
WITH due AS (
    SELECT layer, due_at < clock_timestamp() AS is_due FROM orchestrator.garbage
    WHERE due_at < clock_timestamp() + make_interval(secs => %(ahead)s) AND (NOT reaped OR due_at < clock_timestamp())
    ORDER BY due_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
SELECT layer,
    EXISTS (SELECT 1 FROM orchestrator.episodes WHERE world = layer AND NOT done)
        OR EXISTS (SELECT 1 FROM orchestrator.episodes
                   WHERE chain @> ARRAY[layer] AND lineage <> '{}' AND NOT done)
        OR EXISTS (SELECT 1 FROM orchestrator.snapshots WHERE chain @> ARRAY[layer]),
    EXISTS (SELECT 1 FROM orchestrator.episodes WHERE world = layer)
        OR EXISTS (SELECT 1 FROM orchestrator.episodes WHERE lineage @> ARRAY[layer] AND lineage <> '{}')
        OR EXISTS (SELECT 1 FROM orchestrator.snapshots WHERE lineage @> ARRAY[layer]),
    is_due
FROM due
"""

#: The number of layers that only wait for their time of inspection.
WAITING = f"""
SELECT count(*) FROM orchestrator.garbage WHERE NOT reaped AND due_at < clock_timestamp() + {STRAGGLING}
"""  # noqa: S608

LOOKED_AT = "UPDATE orchestrator.garbage SET reaped = true WHERE layer = ANY(%(layers)s)"

FORGET_STEPS = "DELETE FROM orchestrator.steps WHERE world = ANY(%(worlds)s)"

CLEARED = "DELETE FROM orchestrator.garbage WHERE layer = ANY(%(layers)s)"

BASE_LAYER = "SELECT layer FROM orchestrator.bases WHERE digest = %(digest)s"

ADD_BASE = "INSERT INTO orchestrator.bases (digest) VALUES (%(digest)s) ON CONFLICT (digest) DO NOTHING"

#: One process loads a base; the others wait here, for two seconds at a time, so that a frozen server is noticed.
PATIENTLY = """
SELECT set_config('lock_timeout', '2s', true), set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)
"""
LOCK_BASE = "SELECT pg_advisory_xact_lock(hashtextextended(%(digest)s, 0))"

BASE_READY = """
UPDATE orchestrator.bases SET ready = true, retired = false, due = %(due)s, used_at = clock_timestamp()
WHERE digest = %(digest)s
"""

NOW = "SELECT clock_timestamp()::text"

#: Whether any statement of an orchestrator that began before `since` is still running and may see older data.
#: Statements that wait for the lock of a base do not count, because they have read nothing yet.
UNDER_WAY = """
SELECT EXISTS (SELECT 1 FROM pg_stat_activity
    WHERE usename = current_user AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
        AND query_start <= %(since)s::timestamptz AND wait_event IS DISTINCT FROM 'advisory')
"""

#: Ends the episodes whose base a service lost, and deletes the snapshots that depend on it.
LOSE_WORLDS = f"""
WITH dropped AS (DELETE FROM orchestrator.snapshots WHERE base = %(digest)s RETURNING chain, lineage),
left_behind AS ({LEAVE.format(who="dropped", after="10 seconds")})
UPDATE orchestrator.episodes
SET done = true, truncated = true, invalid = %(why)s, claim_action = NULL, claim_token = NULL
WHERE base = %(digest)s AND NOT done
"""  # noqa: S608

REVISION = "SELECT version_num FROM orchestrator.alembic_version"
