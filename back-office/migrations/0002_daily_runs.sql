-- When the daily run of the back office last ended, and what it did.
CREATE TABLE daily_runs (
  name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 64),
  finished_at_ms INTEGER NOT NULL,
  -- JSON object. Never a secret or personal data.
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT, WITHOUT ROWID;
