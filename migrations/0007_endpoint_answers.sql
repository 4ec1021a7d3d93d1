-- The answer to each creation of a webhook endpoint that had an Idempotency-Key, for its repeats.
CREATE TABLE webhook_endpoint_answers (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- SHA-256 digests of the key and of the body, as docs/api.md#idempotency compares them.
  key_digest TEXT NOT NULL CHECK (length(key_digest) = 64),
  body_digest TEXT NOT NULL,
  -- The bytes of the answer, which hold the endpoint's secret: encrypted with DATA_ENCRYPTION_KEYS and
  -- bound to merchant, environment and key.
  sealed_answer TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, environment, key_digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_endpoint_answers_by_time ON webhook_endpoint_answers (created_at_ms);
