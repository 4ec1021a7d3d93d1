-- The read model of payments, fed through the read model queue and rebuildable from the objects.
-- `version` orders the changes of one payment: an older one never overwrites a newer one.
CREATE TABLE payment (
  uuid TEXT PRIMARY KEY,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  merchant_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  unique_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  amount_minor INTEGER NOT NULL,
  currency TEXT NOT NULL,
  method TEXT,
  -- What a human may have to look at.
  unresolved_attempts INTEGER NOT NULL,
  anomalies INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- Finds a payment by its integer id, which is unique within a merchant.
CREATE INDEX payment_number ON payment (merchant_id, environment, number);
