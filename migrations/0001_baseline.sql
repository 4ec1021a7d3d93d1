-- The database of payments. A change of the schema is a new file with the next number; a file
-- that was deployed never changes.
--
-- Most tables are kept per environment: sandbox and production share no row. Merchants, their
-- branding, banks and the audit log belong to both. Times are milliseconds since 1970 in UTC. Amounts
-- are in minor units of the currency (cents of a birr).

-- ---------------------------------------------------------------------------------------------
-- Merchants, their keys and settings

CREATE TABLE merchants (
  id TEXT PRIMARY KEY,
  -- Names the merchant in references of attempts (src/engine/domain/identifiers.ts). Never changes.
  number INTEGER NOT NULL UNIQUE CHECK (number > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 1000),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- JSON array of the schemes of its apps, to which customers may return (docs/decisions.md#20).
  app_schemes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(app_schemes)),
  -- The operator's limits for refunds: the age of the payment, and the amount that the merchant
  -- returns in a day of Addis Ababa, in each environment and currency. NULL: any amount.
  refund_age_days_max INTEGER NOT NULL DEFAULT 180
    CHECK (refund_age_days_max BETWEEN 1 AND 400),
  refund_daily_max_minor INTEGER CHECK (refund_daily_max_minor BETWEEN 0 AND 99999999999),
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The operator's list of merchants.
CREATE INDEX merchants_by_time ON merchants (created_at_ms, id);

-- Only the digest of a key is stored. A key has 256 random bits, so the digest needs neither a salt
-- nor a slow hash.
CREATE TABLE api_keys (
  -- Lower-case hexadecimal SHA-256 of the whole key.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  name TEXT NOT NULL,
  -- The last 4 characters, which distinguish keys on pages.
  hint TEXT NOT NULL CHECK (length(hint) = 4),
  -- JSON array of what the key may do. NULL: everything.
  permissions TEXT CHECK (json_valid(permissions)),
  -- The name that the member had then; NULL for a key that a script or the operator created.
  created_by TEXT CHECK (length(created_by) BETWEEN 1 AND 100),
  -- Names the form that created the key: submitting a form twice creates one key.
  form_id TEXT CHECK (length(form_id) BETWEEN 1 AND 64),
  created_at_ms INTEGER NOT NULL,
  -- Written at most every few minutes; NULL until the first use.
  last_used_at_ms INTEGER,
  -- Set when another key replaces this one: the key is rejected from then on. NULL: no end.
  expires_at_ms INTEGER,
  -- NULL while the key is valid.
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_merchant ON api_keys (merchant_id, environment);
CREATE UNIQUE INDEX api_keys_by_form ON api_keys (merchant_id, environment, form_id)
  WHERE form_id IS NOT NULL;

-- The methods of a merchant, and the commission of each (docs/decisions.md#15).
CREATE TABLE merchant_methods (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- One of METHODS in src/engine/domain/method.ts, so that a new method needs no migration.
  method TEXT NOT NULL CHECK (length(method) BETWEEN 1 AND 40),
  -- The operator decides `offered`, the merchant `enabled`: a method needs both.
  offered INTEGER NOT NULL DEFAULT 1 CHECK (offered IN (0, 1)),
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  -- Hundredths of a percent of the amount; 10,000 is the whole amount.
  commission_basis_points INTEGER NOT NULL DEFAULT 0
    CHECK (commission_basis_points BETWEEN 0 AND 10000),
  -- Added to the above, in minor units of the payment's currency.
  commission_fixed_minor INTEGER NOT NULL DEFAULT 0
    CHECK (commission_fixed_minor BETWEEN 0 AND 99999999999),
  PRIMARY KEY (merchant_id, environment, method)
) STRICT, WITHOUT ROWID;

-- The largest payment that the operator allows a merchant. No row, or NULL: the general limit.
CREATE TABLE merchant_limits (
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  currency TEXT NOT NULL CHECK (currency IN ('ETB', 'USD')),
  -- The total without commission, in minor units.
  amount_minor_max INTEGER CHECK (amount_minor_max BETWEEN 1 AND 99999999999),
  PRIMARY KEY (merchant_id, environment, currency)
) STRICT, WITHOUT ROWID;

-- The volumes of merchants' books that follow volume 0, which needs no row. A copy of what the
-- merchants' registers hold; a new payment belongs to the newest volume.
CREATE TABLE book_volumes (
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  volume INTEGER NOT NULL CHECK (volume > 0),
  opened_at_ms INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, environment, volume)
) STRICT, WITHOUT ROWID;

-- Logos by content, never changed or deleted: a payment names the digest of the logo it was created
-- with, and its pages show that logo even after the merchant has changed it.
CREATE TABLE merchant_logos (
  -- The reference rejects a mistyped merchant id, which would store branding that no page shows.
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  -- Lower-case hexadecimal SHA-256 of the bytes.
  digest TEXT NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'),
  media_type TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/webp', 'image/jpeg')),
  -- Text, not a BLOB, because `wrangler d1 execute --file` takes SQL as text. 16 KiB in base64.
  base64 TEXT NOT NULL CHECK (length(base64) BETWEEN 4 AND 21848),
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, digest)
) STRICT, WITHOUT ROWID;

-- Color and logo of the customers' pages. New payments copy it. No row, or NULL: Kefel's own look.
CREATE TABLE merchant_branding (
  merchant_id TEXT PRIMARY KEY REFERENCES merchants (id),
  color TEXT CHECK (
    length(color) = 7 AND color GLOB '#*' AND substr(color, 2) NOT GLOB '*[^0-9a-f]*'
  ),
  logo_digest TEXT,
  FOREIGN KEY (merchant_id, logo_digest) REFERENCES merchant_logos (merchant_id, digest)
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- Webhooks: where events go, how they are signed, which servers fail

-- Where the events of payments without a callbackUrl go (docs/decisions.md#19). At most 10 of a
-- merchant in each environment.
CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY CHECK (id GLOB 'we_*' AND length(id) BETWEEN 4 AND 64),
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- JSON array of names such as PAYMENT_SUCCESS; empty: all.
  event_types TEXT NOT NULL CHECK (json_type(event_types) = 'array'),
  description TEXT NOT NULL CHECK (length(description) <= 200),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  -- The name of a second signature header, or NULL.
  signature_header TEXT CHECK (length(signature_header) BETWEEN 1 AND 64),
  created_at_ms INTEGER NOT NULL,
  -- The version of webhooks' payload on the day of its creation (docs/api.md#payload).
  payload_version TEXT NOT NULL CHECK (payload_version GLOB '20??-??-??')
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_endpoints_by_merchant ON webhook_endpoints
  (merchant_id, environment, created_at_ms, id);

-- How webhooks to the callbackUrl of a payment are signed besides. No row: not at all.
CREATE TABLE webhook_callback_settings (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- The name of a second signature header, or NULL.
  signature_header TEXT CHECK (length(signature_header) BETWEEN 1 AND 64),
  PRIMARY KEY (merchant_id, environment)
) STRICT, WITHOUT ROWID;

-- Secrets of the Standard Webhooks signature. Several are valid while one replaces another.
CREATE TABLE webhook_secrets (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- NULL: signs webhooks to the callbackUrl of a payment.
  endpoint_id TEXT,
  -- `whsec_…`, encrypted with DATA_ENCRYPTION_KEYS and bound to merchant, environment and endpoint.
  sealed_secret TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- NULL: no end.
  expires_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_secrets_by_merchant ON webhook_secrets (merchant_id, environment);

-- Merchants' servers that fail now. A success deletes the row, so there are few.
CREATE TABLE failing_endpoints (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- The id of an endpoint, or the origin (scheme, host, port) of callbackUrls, because each payment
  -- may name another one.
  endpoint TEXT NOT NULL CHECK (length(endpoint) BETWEEN 1 AND 2048),
  -- The first failure since the last success.
  failing_since_ms INTEGER NOT NULL,
  -- Written every few minutes, not for each failure.
  last_failure_at_ms INTEGER NOT NULL,
  -- A status such as `HTTP 500`, or our own text. Nothing of what the merchant answered.
  last_error TEXT NOT NULL CHECK (length(last_error) BETWEEN 1 AND 200),
  -- NULL while the endpoint is not paused.
  paused_at_ms INTEGER,
  -- The last daily try at a paused endpoint.
  probed_at_ms INTEGER,
  PRIMARY KEY (merchant_id, environment, endpoint)
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------
-- The operator's desk

-- Messages that a queue stopped retrying, kept until the operator retries or discards them, or until
-- they expire. A message of a rail may be the only copy of a provider's answer.
CREATE TABLE dead_letters (
  -- Cloudflare's id of the first message about the subject.
  id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
  -- What waits for the message, such as one delivery. Another message about it replaces this one, so
  -- a consumer that always fails adds no further rows.
  subject TEXT NOT NULL UNIQUE CHECK (length(subject) BETWEEN 1 AND 256),
  -- Cloudflare's id of the stored message: the same message twice counts once.
  message_id TEXT NOT NULL,
  -- The queue that the message was sent to.
  queue TEXT NOT NULL CHECK (
    queue IN ('kefel-webhooks', 'kefel-webhook-retries', 'kefel-provider-reports')
  ),
  -- What kind of message of that queue it is.
  kind TEXT NOT NULL,
  -- The name of the payment's object, where the message has one.
  object_name TEXT CHECK (length(object_name) = 64),
  -- The message in JSON, sealed with DATA_ENCRYPTION_KEYS because a provider's answer may hold
  -- personal data of a customer. Empty once the message was discarded or has expired.
  sealed_body TEXT NOT NULL,
  sent_at_ms INTEGER NOT NULL,
  -- When the letter began to wait.
  stored_at_ms INTEGER NOT NULL,
  -- When a message about the subject last failed all its retries, and how many have.
  given_up_at_ms INTEGER NOT NULL,
  times_given_up INTEGER NOT NULL DEFAULT 1,
  status TEXT NOT NULL DEFAULT 'waiting'
    CHECK (status IN ('waiting', 'retried', 'discarded', 'expired')),
  -- How often the operator sent it back to its queue.
  retries INTEGER NOT NULL DEFAULT 0,
  -- When it was retried or discarded or expired, NULL while it waits; and who did, if a person did.
  handled_at_ms INTEGER,
  handled_by TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_letters_by_status ON dead_letters (status, stored_at_ms, id);
CREATE INDEX dead_letters_waiting ON dead_letters (kind, stored_at_ms, id) WHERE status = 'waiting';

-- What the operator must look at, over all merchants: payments, refunds and deliveries. The merchants'
-- books write it when it changes (src/lists/book/attention.ts), up to a number of payments each.
CREATE TABLE attention_item (
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- Why it is listed (src/lists/book/attention-reasons.ts). Not listed: `reviewed`, a payment that has no
  -- more to review than at its review, and `resolved`, a payment without items, whose row keeps a
  -- delayed older write out until the daily purge.
  section TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- The payment's uuid, the refund's number or the delivery's id.
  id TEXT NOT NULL,
  merchant_id TEXT NOT NULL,
  payment_uuid TEXT NOT NULL,
  -- `money` if the payment or a refund of it is among its items, else `deliveries`.
  kind TEXT NOT NULL CHECK (kind IN ('money', 'deliveries')),
  -- Orders the writes of one payment.
  revision INTEGER NOT NULL,
  -- What the list shows, in JSON.
  item TEXT CHECK (json_valid(item)),
  PRIMARY KEY (environment, section, created_at_ms, id, payment_uuid)
) STRICT, WITHOUT ROWID;

CREATE INDEX attention_item_by_payment ON attention_item (payment_uuid, revision);
-- For the groups of one reason and merchant.
CREATE INDEX attention_item_by_group ON attention_item
  (environment, section, merchant_id, created_at_ms, id);
-- For the limit of each merchant.
CREATE INDEX attention_item_by_merchant ON attention_item
  (merchant_id, environment, kind, section, payment_uuid);

-- Receipts that operators recorded, by their search keys: a receipt counts for one payment of all
-- merchants, so the daily run compares them with all books (docs/decisions.md#44).
CREATE TABLE manual_receipts (
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  key TEXT NOT NULL,
  merchant_id TEXT NOT NULL,
  -- Of the payment.
  unique_id TEXT NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  PRIMARY KEY (environment, key, merchant_id, unique_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX manual_receipts_by_time ON manual_receipts (environment, recorded_at_ms);

-- One row for each book, for the operator's pages about all merchants (src/lists/book/digest.ts).
CREATE TABLE book_digest (
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  merchant_id TEXT NOT NULL,
  volume INTEGER NOT NULL,
  as_of_ms INTEGER NOT NULL,
  -- Items that `attention_item` leaves out because the merchant has too many.
  unlisted INTEGER NOT NULL,
  digest TEXT NOT NULL CHECK (json_valid(digest)),
  PRIMARY KEY (environment, merchant_id, volume)
) STRICT, WITHOUT ROWID;

-- Payments that the operator has reviewed, with what needed attention then. A payment that needs
-- more attention than its review saw is listed again.
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

-- ---------------------------------------------------------------------------------------------
-- The audit log

-- Who did what, when and from where. Append-only, but for the address, which is purged: the triggers
-- reject everything else.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  -- NULL for an action that concerns no single merchant.
  merchant_id TEXT,
  -- NULL for an action that concerns both environments.
  environment TEXT CHECK (environment IN ('sandbox', 'production')),
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('member', 'operator', 'api_key')),
  -- The id of a member, the name that the operator gave, or the digest of an API key.
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  -- Whether an operator's name was proved, or only claimed; NULL for others.
  actor_proved INTEGER CHECK (actor_proved IN (0, 1)),
  -- The client's address; NULL where there is none, or once it was purged.
  address TEXT,
  action TEXT NOT NULL,
  -- The id of what the action changed, as pages show it. Never a secret.
  target TEXT,
  -- JSON object with further details. Never a secret or a phone number.
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;

CREATE INDEX audit_log_by_merchant ON audit_log (merchant_id, at_ms, id);
-- For the notice on the overview: the list of src/control/audit/access-changes.ts.
CREATE INDEX audit_log_of_access ON audit_log (merchant_id, at_ms, id)
WHERE action IN ('member.joined', 'passkey.added', 'api_key.created', 'api_key.rolled', 'webhook.endpoint_created', 'webhook.endpoint_changed', 'webhook.secret_shown', 'webhook.secret_rotated');
-- For the operator: the entries of all merchants and of none.
CREATE INDEX audit_log_by_time ON audit_log (at_ms, id);

-- For the daily purge.
CREATE INDEX audit_log_with_address ON audit_log (at_ms) WHERE address IS NOT NULL;

CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
WHEN NEW.address IS NOT NULL
  OR (NEW.id, NEW.at_ms, NEW.merchant_id, NEW.environment, NEW.actor_kind, NEW.actor_id,
      NEW.actor_name, NEW.actor_proved, NEW.action, NEW.target, NEW.detail)
    IS NOT (OLD.id, OLD.at_ms, OLD.merchant_id, OLD.environment, OLD.actor_kind, OLD.actor_id,
      OLD.actor_name, OLD.actor_proved, OLD.action, OLD.target, OLD.detail)
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_log_is_never_cut BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- ---------------------------------------------------------------------------------------------
-- Ethiopia's banks, which a split payment can name (docs/decisions.md#14, #28)

-- Every split payment stores the code of its banks, so a released code never changes, even if the
-- bank changes its name. The operator may update supports_withdrawal at any time.
CREATE TABLE banks (
  code TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  supports_withdrawal INTEGER NOT NULL CHECK (supports_withdrawal IN (0, 1))
) STRICT, WITHOUT ROWID;

INSERT INTO banks (code, name, supports_withdrawal) VALUES
  ('ABAY', 'Abay Bank', 1),
  ('ABYSSINIA', 'Bank of Abyssinia', 1),
  ('ADDIS', 'Addis International Bank', 1),
  ('AHADU', 'Ahadu Bank', 1),
  ('AMHARA', 'Amhara Bank', 1),
  ('AWASH', 'Awash Bank', 1),
  ('BERHAN', 'Berhan Bank', 1),
  ('BUNNA', 'Bunna Bank', 1),
  ('CBE', 'Commercial Bank of Ethiopia', 1),
  ('COOP', 'Cooperative Bank of Oromia', 1),
  ('DASHEN', 'Dashen Bank', 1),
  ('ENAT', 'Enat Bank', 1),
  ('GADAA', 'Gadaa Bank', 1),
  ('GLOBAL', 'Global Bank Ethiopia', 1),
  ('GOH', 'Goh Betoch Bank', 1),
  ('HIBRET', 'Hibret Bank', 1),
  ('HIJRA', 'Hijra Bank', 1),
  ('LION', 'Lion International Bank', 1),
  ('NIB', 'Nib International Bank', 1),
  ('OMO', 'Omo Bank', 1),
  ('OROMIA', 'Oromia Bank', 1),
  ('RAMMIS', 'Rammis Bank', 1),
  ('SHABELLE', 'Shabelle Bank', 1),
  ('SIDAMA', 'Sidama Bank', 1),
  ('SIINQEE', 'Siinqee Bank', 1),
  ('SIKET', 'Siket Bank', 1),
  ('TSEDEY', 'Tsedey Bank', 1),
  ('TSEHAY', 'Tsehay Bank', 1),
  ('WEGAGEN', 'Wegagen Bank', 1),
  ('ZAMZAM', 'ZamZam Bank', 1),
  ('ZEMEN', 'Zemen Bank', 1);

-- The policy bank and the central bank hold no accounts that a merchant can be paid into.
INSERT INTO banks (code, name, supports_withdrawal) VALUES
  ('DBE', 'Development Bank of Ethiopia', 0),
  ('NBE', 'National Bank of Ethiopia', 0);
