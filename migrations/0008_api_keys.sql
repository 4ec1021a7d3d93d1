-- What merchants see and do about their API keys, and what the operator lets a merchant take.

-- The maker's name as it was then; NULL for keys that a script or the operator made.
ALTER TABLE api_keys ADD COLUMN created_by TEXT CHECK (length(created_by) BETWEEN 1 AND 100);

-- Written at most every few minutes; NULL until the first use.
ALTER TABLE api_keys ADD COLUMN last_used_at_ms INTEGER;

-- From then on the key is refused; NULL: until it is revoked. Set when another key takes its place.
ALTER TABLE api_keys ADD COLUMN expires_at_ms INTEGER;

-- Names the form that made the key: the same form sent twice makes one key.
ALTER TABLE api_keys ADD COLUMN form_id TEXT CHECK (length(form_id) BETWEEN 1 AND 64);

CREATE UNIQUE INDEX api_keys_by_form ON api_keys (merchant_id, environment, form_id)
  WHERE form_id IS NOT NULL;

-- `enabled` is the merchant's word, `offered` the operator's: a method needs both.
ALTER TABLE merchant_methods ADD COLUMN offered INTEGER NOT NULL DEFAULT 1
  CHECK (offered IN (0, 1));

-- The largest payment that the operator lets a merchant create. No row, or NULL: the general cap.
CREATE TABLE merchant_limits (
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  currency TEXT NOT NULL CHECK (currency IN ('ETB', 'USD')),
  -- Total without commission, in minor units.
  amount_minor_max INTEGER CHECK (amount_minor_max BETWEEN 1 AND 99999999999),
  PRIMARY KEY (merchant_id, environment, currency)
) STRICT, WITHOUT ROWID;
