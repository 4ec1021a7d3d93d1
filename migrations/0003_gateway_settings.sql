-- What the operator sets for the whole gateway (docs/decisions.md#48). One row.
CREATE TABLE gateway_settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- `maintenance`: Kefel refuses new payments and refunds. What has begun continues.
  mode TEXT NOT NULL DEFAULT 'normal' CHECK (mode IN ('normal', 'maintenance')),
  -- Since when, by which operator and why; NULL in normal mode.
  maintenance_since_ms INTEGER,
  maintenance_by TEXT,
  maintenance_reason TEXT CHECK (length(maintenance_reason) BETWEEN 1 AND 500),
  -- 1: members read, and change nothing.
  members_read_only INTEGER NOT NULL DEFAULT 0 CHECK (members_read_only IN (0, 1)),
  members_read_only_since_ms INTEGER,
  members_read_only_by TEXT,
  CHECK (
    (mode = 'maintenance') = (maintenance_since_ms IS NOT NULL)
    AND (mode = 'maintenance') = (maintenance_by IS NOT NULL)
    AND (mode = 'maintenance') = (maintenance_reason IS NOT NULL)
    AND members_read_only = (members_read_only_since_ms IS NOT NULL)
    AND members_read_only = (members_read_only_by IS NOT NULL)
  )
) STRICT;

INSERT INTO gateway_settings (id) VALUES (1);

-- When each daily run last ended, and what it did.
CREATE TABLE daily_runs (
  name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 64),
  finished_at_ms INTEGER NOT NULL,
  -- JSON object. Never a secret or personal data.
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT, WITHOUT ROWID;

-- The latest self-check of the gateway (src/control/self-check). One row.
CREATE TABLE self_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Names the run, and its sandbox payment.
  run_id TEXT NOT NULL CHECK (length(run_id) BETWEEN 1 AND 64),
  started_at_ms INTEGER NOT NULL,
  started_by TEXT NOT NULL
) STRICT;

-- What each of its checks found. A row of an earlier run counts as missing.
CREATE TABLE self_check_results (
  name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 64),
  run_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ok', 'wrong')),
  -- What was found, by the name of its text, and the values in it as a JSON object. Never a secret.
  finding TEXT NOT NULL CHECK (length(finding) BETWEEN 1 AND 64),
  details TEXT NOT NULL CHECK (json_valid(details)),
  finished_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
