-- The restore of this gateway from a backup (src/recovery/restore). One row; none: never restored.
CREATE TABLE restore (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The run of the backup, such as 20261127T011700Z.
  run TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  started_by TEXT NOT NULL,
  -- The next step, and what the steps before it have counted, as JSON.
  place TEXT NOT NULL CHECK (json_valid(place)),
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  -- NULL while it is under way.
  finished_at_ms INTEGER
) STRICT;
