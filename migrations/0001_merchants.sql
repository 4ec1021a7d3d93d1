-- Merchants, their keys and settings. Everything but `merchants` and `banks` is kept per
-- environment: sandbox and production share no row. Times are milliseconds since 1970 in UTC.

CREATE TABLE merchants (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1000),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Only the digest of a key is kept. It has 256 random bits, so it needs neither salt nor slow hash.
CREATE TABLE api_keys (
  -- Lower-case hexadecimal SHA-256 of the whole key.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  name TEXT NOT NULL,
  -- The last 4 characters, so that a person can tell keys apart.
  hint TEXT NOT NULL CHECK (length(hint) = 4),
  created_at_ms INTEGER NOT NULL,
  -- NULL while the key is valid.
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_merchant ON api_keys (merchant_id, environment);

-- The methods a merchant offers, and what each costs (decision 15).
CREATE TABLE merchant_methods (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  method TEXT NOT NULL CHECK (
    method IN ('TELE_BIRR', 'TELE_BIRR_USSD', 'CBE', 'ETS_SWITCH', 'M_PESA', 'E_BIRR')
  ),
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  -- Hundredths of a percent of the amount; 10,000 is the whole amount.
  commission_basis_points INTEGER NOT NULL DEFAULT 0
    CHECK (commission_basis_points BETWEEN 0 AND 10000),
  -- Minor units on top, in the currency of the payment.
  commission_fixed_minor INTEGER NOT NULL DEFAULT 0
    CHECK (commission_fixed_minor BETWEEN 0 AND 99999999999),
  PRIMARY KEY (merchant_id, environment, method)
) STRICT, WITHOUT ROWID;

-- Where events go when a payment names no callbackUrl (decision 19).
CREATE TABLE webhook_settings (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  url TEXT CHECK (length(url) BETWEEN 1 AND 2048),
  PRIMARY KEY (merchant_id, environment)
) STRICT, WITHOUT ROWID;

-- Secrets of the Standard Webhooks signature; several are valid while one replaces another.
CREATE TABLE webhook_secrets (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- `whsec_…`, encrypted with DATA_ENCRYPTION_KEYS and bound to merchant and environment.
  sealed_secret TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- NULL: until further notice.
  expires_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_secrets_by_merchant ON webhook_secrets (merchant_id, environment);

-- Banks that a split payment can name (decisions 14 and 28).
CREATE TABLE banks (
  code TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  supports_withdrawal INTEGER NOT NULL CHECK (supports_withdrawal IN (0, 1))
) STRICT, WITHOUT ROWID;
