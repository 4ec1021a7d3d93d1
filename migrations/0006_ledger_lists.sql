-- The read model as the dashboard and the operator read it: lists, search, totals and deliveries.
-- Everything here is fed through the read model queue and can be made anew from the objects.

-- With a rowid, unlike before: payments then lie in the order in which they were made, a page of a
-- list is a few neighbouring pages of the file, and what an index holds is judged before the row
-- is fetched.
CREATE TABLE payment_listed (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  merchant_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  unique_id TEXT NOT NULL,
  -- Orders the changes of one payment: an older one never overwrites a newer one.
  version INTEGER NOT NULL,
  -- Which release's columns the row has; 0: those of 0003.
  projection INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  failure_reason TEXT,
  -- Paid after it had ended otherwise.
  late INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1)),
  amount_minor INTEGER NOT NULL,
  -- Of `method`; 0 while there is none.
  commission_minor INTEGER NOT NULL DEFAULT 0,
  commission_paid_by_customer INTEGER NOT NULL DEFAULT 0
    CHECK (commission_paid_by_customer IN (0, 1)),
  currency TEXT NOT NULL,
  method TEXT,
  -- What a human may have to look at.
  unresolved_attempts INTEGER NOT NULL,
  anomalies INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER
) STRICT;

INSERT INTO payment_listed (uuid, environment, merchant_id, number, unique_id, version, kind,
    status, amount_minor, currency, method, unresolved_attempts, anomalies, created_at_ms,
    updated_at_ms)
  SELECT uuid, environment, merchant_id, number, unique_id, version, kind, status, amount_minor,
    currency, method, unresolved_attempts, anomalies, created_at_ms, updated_at_ms
  FROM payment ORDER BY created_at_ms, uuid;

DROP TABLE payment;
ALTER TABLE payment_listed RENAME TO payment;

-- Indexes have names because queries name them: the planner's statistics lead nobody astray.
CREATE UNIQUE INDEX payment_by_uuid ON payment (uuid);
CREATE INDEX payment_number ON payment (merchant_id, environment, number);
CREATE INDEX payment_unique_id ON payment (merchant_id, environment, unique_id);

-- One for each list. Amount and currency at the end: those filters are judged inside the index.
CREATE INDEX payment_by_time ON payment
  (merchant_id, environment, created_at_ms, uuid, amount_minor, currency);
CREATE INDEX payment_by_status ON payment
  (merchant_id, environment, status, created_at_ms, uuid, amount_minor, currency);
CREATE INDEX payment_by_method ON payment
  (merchant_id, environment, method, created_at_ms, uuid, amount_minor, currency);
CREATE INDEX payment_by_status_and_method ON payment
  (merchant_id, environment, status, method, created_at_ms, uuid, amount_minor, currency);
-- For amounts that few payments have: see src/read-model/payments-list.ts.
CREATE INDEX payment_by_amount ON payment
  (merchant_id, environment, amount_minor, created_at_ms, uuid);

-- The few of all merchants that need a human.
CREATE INDEX payment_needing_attention ON payment (environment, created_at_ms, uuid)
  WHERE unresolved_attempts > 0 OR anomalies > 0 OR late = 1;

-- What a payment is found by besides its own columns: `id:` and a rail's or the merchant's id, or
-- `phone:` and the keyed digest of a phone number. No number is stored in clear.
CREATE TABLE payment_search_key (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  key TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  PRIMARY KEY (merchant_id, environment, key, created_at_ms, uuid)
) STRICT, WITHOUT ROWID;

-- How many payments, and of how much, came to what: by the day of creation, counted from 1970 in
-- Addis Ababa, which is three hours ahead of UTC all year. Kept by the triggers below, so that it
-- is exact at every moment. Buckets that have emptied stay, with zeros.
CREATE TABLE payment_day (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  day INTEGER NOT NULL,
  -- Empty: none was chosen.
  method TEXT NOT NULL,
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Empty: none.
  failure_reason TEXT NOT NULL,
  payments INTEGER NOT NULL,
  amount_minor INTEGER NOT NULL,
  commission_minor INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, environment, day, method, currency, status, failure_reason)
) STRICT, WITHOUT ROWID;

INSERT INTO payment_day
  SELECT merchant_id, environment, (created_at_ms + 10800000) / 86400000, COALESCE(method, ''),
    currency, status, COALESCE(failure_reason, ''), COUNT(*), SUM(amount_minor),
    SUM(commission_minor)
  FROM payment
  GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- For the operator: how each rail fares, over all merchants.
CREATE INDEX payment_day_by_environment ON payment_day (environment, status, day);

CREATE TRIGGER payment_day_inserted AFTER INSERT ON payment
BEGIN
  INSERT INTO payment_day VALUES (NEW.merchant_id, NEW.environment,
      (NEW.created_at_ms + 10800000) / 86400000, COALESCE(NEW.method, ''), NEW.currency,
      NEW.status, COALESCE(NEW.failure_reason, ''), 1, NEW.amount_minor, NEW.commission_minor)
    ON CONFLICT DO UPDATE SET payments = payments + 1,
      amount_minor = amount_minor + excluded.amount_minor,
      commission_minor = commission_minor + excluded.commission_minor;
END;

CREATE TRIGGER payment_day_updated AFTER UPDATE ON payment
WHEN (OLD.merchant_id, OLD.environment, OLD.created_at_ms, OLD.method, OLD.currency, OLD.status,
    OLD.failure_reason, OLD.amount_minor, OLD.commission_minor)
  IS NOT (NEW.merchant_id, NEW.environment, NEW.created_at_ms, NEW.method, NEW.currency, NEW.status,
    NEW.failure_reason, NEW.amount_minor, NEW.commission_minor)
BEGIN
  UPDATE payment_day SET payments = payments - 1,
      amount_minor = amount_minor - OLD.amount_minor,
      commission_minor = commission_minor - OLD.commission_minor
    WHERE merchant_id = OLD.merchant_id AND environment = OLD.environment
      AND day = (OLD.created_at_ms + 10800000) / 86400000 AND method = COALESCE(OLD.method, '')
      AND currency = OLD.currency AND status = OLD.status
      AND failure_reason = COALESCE(OLD.failure_reason, '');
  INSERT INTO payment_day VALUES (NEW.merchant_id, NEW.environment,
      (NEW.created_at_ms + 10800000) / 86400000, COALESCE(NEW.method, ''), NEW.currency,
      NEW.status, COALESCE(NEW.failure_reason, ''), 1, NEW.amount_minor, NEW.commission_minor)
    ON CONFLICT DO UPDATE SET payments = payments + 1,
      amount_minor = amount_minor + excluded.amount_minor,
      commission_minor = commission_minor + excluded.commission_minor;
END;

CREATE TRIGGER payment_day_deleted AFTER DELETE ON payment
BEGIN
  UPDATE payment_day SET payments = payments - 1,
      amount_minor = amount_minor - OLD.amount_minor,
      commission_minor = commission_minor - OLD.commission_minor
    WHERE merchant_id = OLD.merchant_id AND environment = OLD.environment
      AND day = (OLD.created_at_ms + 10800000) / 86400000 AND method = COALESCE(OLD.method, '')
      AND currency = OLD.currency AND status = OLD.status
      AND failure_reason = COALESCE(OLD.failure_reason, '');
END;

-- Events on their way to merchants, without their bodies and without what a merchant answered.
CREATE TABLE webhook_event (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  payment_uuid TEXT NOT NULL,
  unique_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  type TEXT NOT NULL,
  -- As the object has it, but `claimed` reads `queued`. New words may come: no list here.
  delivery_status TEXT NOT NULL,
  -- Orders the changes of one event's delivery, as `version` does a payment's.
  revision INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- The next try; NULL unless it waits for one.
  due_at_ms INTEGER,
  tries INTEGER NOT NULL,
  last_try_at_ms INTEGER,
  last_http_status INTEGER,
  last_error TEXT,
  last_duration_ms INTEGER,
  -- Of the payment's own callbackUrl; NULL: wherever the merchant's setting says.
  destination_origin TEXT
) STRICT;

CREATE UNIQUE INDEX webhook_event_by_id ON webhook_event (event_id);
CREATE INDEX webhook_event_by_time ON webhook_event
  (merchant_id, environment, created_at_ms, event_id);
CREATE INDEX webhook_event_by_status ON webhook_event
  (merchant_id, environment, delivery_status, created_at_ms, event_id);
-- What a merchant may send again, all at once. Queries repeat these words exactly.
CREATE INDEX webhook_event_failed ON webhook_event
  (merchant_id, environment, created_at_ms, event_id)
  WHERE delivery_status IN ('dead', 'undeliverable', 'paused');
-- For the operator: what has not arrived, over all merchants.
CREATE INDEX webhook_event_not_arrived ON webhook_event
  (environment, delivery_status, created_at_ms, event_id)
  WHERE delivery_status NOT IN ('delivered', 'superseded');
