-- What the operator keeps.

-- Messages that their queue gave up, until somebody has dealt with them. Those of the rails may be
-- the only copy of what a rail has said.
CREATE TABLE dead_letters (
  -- Cloudflare's id of the message: the same message twice is one row.
  id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
  -- The queue that it was meant for.
  queue TEXT NOT NULL CHECK (
    queue IN ('kefel-webhooks', 'kefel-webhook-retries', 'kefel-projections', 'kefel-rail-starts')
  ),
  -- What kind of message of that queue it is.
  kind TEXT NOT NULL,
  -- The payment's object, where the message names one.
  object_id TEXT CHECK (length(object_id) = 64),
  -- The message in JSON, sealed under DATA_ENCRYPTION_KEYS: a rail's page or answer may hold
  -- something of a customer's. Empty once it was discarded.
  sealed_body TEXT NOT NULL,
  sent_at_ms INTEGER NOT NULL,
  stored_at_ms INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'retried', 'discarded')),
  -- How often it was sent back to its queue.
  retries INTEGER NOT NULL DEFAULT 0,
  -- When and by whom it was dealt with; NULL while it waits.
  settled_at_ms INTEGER,
  settled_by TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_letters_by_status ON dead_letters (status, stored_at_ms, id);

-- Payments that a human has looked at, with what there was to see: more of it shows them again.
CREATE TABLE payment_reviews (
  uuid TEXT PRIMARY KEY,
  anomalies INTEGER NOT NULL,
  unresolved_attempts INTEGER NOT NULL,
  late INTEGER NOT NULL CHECK (late IN (0, 1)),
  -- Without phone numbers.
  note TEXT NOT NULL CHECK (length(note) BETWEEN 1 AND 500),
  reviewed_by TEXT NOT NULL,
  reviewed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The operator's list of merchants.
CREATE INDEX merchants_by_time ON merchants (created_at_ms, id);
