-- Merchants' servers that refuse or miss webhooks just now, by origin (scheme, host, port): a
-- callbackUrl may be another one for each payment. A success deletes the row, so there are few.
CREATE TABLE webhook_endpoints (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  origin TEXT NOT NULL CHECK (length(origin) BETWEEN 1 AND 2048),
  -- The first failure after which nothing arrived.
  failing_since_ms INTEGER NOT NULL,
  -- Written every few minutes, not for each failure.
  last_failure_at_ms INTEGER NOT NULL,
  -- A status such as `HTTP 500`, or our own words. Nothing of what the merchant answered.
  last_error TEXT NOT NULL CHECK (length(last_error) BETWEEN 1 AND 200),
  -- NULL while webhooks are still sent there.
  paused_at_ms INTEGER,
  PRIMARY KEY (merchant_id, environment, origin)
) STRICT, WITHOUT ROWID;
