-- Customers' requests to erase their data (docs/retention.md). A request stays as the record of what was
-- done. It names no customer.
CREATE TABLE customer_requests (
  id TEXT PRIMARY KEY,
  -- Recognizes the same customer: a keyed digest of a phone number or e-mail address, under a key for this
  -- purpose alone. NULL once nothing is left to erase.
  digest TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
  -- Whether the merchants agreed that they refund these payments no more.
  refundable_too INTEGER NOT NULL CHECK (refundable_too IN (0, 1)),
  -- Without phone numbers.
  reason TEXT NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  requested_by TEXT NOT NULL,
  requested_by_proved INTEGER NOT NULL CHECK (requested_by_proved IN (0, 1)),
  requested_at_ms INTEGER NOT NULL,
  -- When the books of all merchants had been searched. NULL: the operator must repeat the command.
  searched_at_ms INTEGER,
  erased INTEGER NOT NULL DEFAULT 0,
  -- When nothing was left to erase.
  finished_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX customer_requests_unfinished ON customer_requests (digest) WHERE digest IS NOT NULL;
CREATE INDEX customer_requests_by_time ON customer_requests (requested_at_ms, id);

-- Payments that a request has found and not erased yet. The daily run continues with them.
CREATE TABLE customer_request_payments (
  request_id TEXT NOT NULL REFERENCES customer_requests (id),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  merchant_id TEXT NOT NULL,
  volume INTEGER NOT NULL,
  -- In the merchant's book.
  payment_id INTEGER NOT NULL,
  unique_id TEXT NOT NULL,
  uuid TEXT NOT NULL,
  due_at_ms INTEGER NOT NULL,
  -- Why the payment is kept (src/engine/domain/retention.ts), NULL while it is being erased; and until when,
  -- NULL until a person or a provider acts.
  kept_reason TEXT,
  kept_until_ms INTEGER,
  PRIMARY KEY (request_id, environment, merchant_id, volume, payment_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_request_payments_by_time ON customer_request_payments (due_at_ms);

-- What erasure and a customer's export need of a payment.
CREATE INDEX dead_letters_by_object ON dead_letters (object_name) WHERE object_name IS NOT NULL;

-- The jurisdiction of all objects, `none` for none: NULL before the first merchant. A gateway with another
-- OBJECT_JURISDICTION refuses to work, because it would see empty objects.
ALTER TABLE gateway_settings ADD COLUMN object_jurisdiction TEXT;
