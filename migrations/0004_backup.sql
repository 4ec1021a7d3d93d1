-- The daily export of both databases to the bucket (src/recovery/backup/runs.ts). A run is done in many steps,
-- and each stores where the next one continues.
CREATE TABLE backup_runs (
  database TEXT NOT NULL CHECK (database IN ('payments', 'back-office')),
  -- The time at which it began, such as 20261127T011700Z.
  run TEXT NOT NULL CHECK (length(run) = 16),
  -- JSON: the names of the migrations, and the tables in the order of the export.
  migrations TEXT NOT NULL CHECK (json_valid(migrations)),
  tables TEXT NOT NULL CHECK (json_valid(tables)),
  -- The entries of the audit log that this run exports: after the first id, up to the second.
  audit_from_id INTEGER NOT NULL,
  audit_to_id INTEGER NOT NULL,
  -- JSON: the table, its next part and the row before it. NULL: the run is at its beginning.
  place TEXT CHECK (json_valid(place)),
  -- The call that works on the run renews it, so that two calls never write the same part.
  leased_until_ms INTEGER NOT NULL,
  finished_at_ms INTEGER,
  PRIMARY KEY (database, run)
) STRICT, WITHOUT ROWID;

-- What the next manifest says of each part: the parts of runs that are under way or ended last, and
-- all parts of the audit logs, whose `run` is ''.
CREATE TABLE backup_parts (
  database TEXT NOT NULL CHECK (database IN ('payments', 'back-office')),
  run TEXT NOT NULL,
  name TEXT NOT NULL,
  -- `registers`: refunds of a merchant's register.
  table_name TEXT NOT NULL,
  row_count INTEGER NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  PRIMARY KEY (database, run, name)
) STRICT, WITHOUT ROWID;
