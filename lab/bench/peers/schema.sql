-- What the ordinary and the tuned peer store. Times are the database's own.
CREATE TABLE api_keys (
  digest TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL
);

CREATE TABLE payments (
  merchant_id TEXT NOT NULL,
  unique_id TEXT NOT NULL,
  id UUID NOT NULL UNIQUE,
  status TEXT NOT NULL,
  amount_minor BIGINT NOT NULL,
  currency TEXT NOT NULL,
  terms JSONB NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, unique_id)
);

CREATE INDEX payments_by_creation ON payments (merchant_id, created_at);

CREATE TABLE outbox (
  id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  url TEXT NOT NULL,
  body TEXT NOT NULL,
  due_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  tries INTEGER NOT NULL DEFAULT 0,
  delivered_at TIMESTAMPTZ
);

CREATE INDEX outbox_due ON outbox (due_at) WHERE delivered_at IS NULL;
