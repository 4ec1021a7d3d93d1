-- Endpoints of people, beside those of servers (docs/notifications.md). Their url is `telegram:` with
-- the id of a chat, or `mailto:` with an address.

-- The language of the messages; NULL: the endpoint is a server.
ALTER TABLE webhook_endpoints ADD COLUMN language TEXT CHECK (language IN ('en', 'am'));
-- Only payments that name this link; NULL: all.
ALTER TABLE webhook_endpoints ADD COLUMN payment_link_unique_id TEXT
  CHECK (length(payment_link_unique_id) BETWEEN 1 AND 255);
-- What needs the merchant was told up to this time (src/control/watch/tell-merchants.ts); NULL: it is not told.
ALTER TABLE webhook_endpoints ADD COLUMN told_until_ms INTEGER;

-- By chat, and for all that are told what needs the merchant.
CREATE INDEX webhook_endpoints_of_people ON webhook_endpoints (url) WHERE language IS NOT NULL;

-- What members have asked for and a chat or mailbox has not confirmed yet. Deleted when it expires.
CREATE TABLE endpoint_connections (
  id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 64),
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- SHA-256 of the code that a chat sends. NULL for e-mail, whose short code is tried a few times only.
  code_digest TEXT UNIQUE CHECK (length(code_digest) = 64),
  -- The code, encrypted with DATA_ENCRYPTION_KEYS and bound to merchant, environment and id.
  sealed_code TEXT NOT NULL,
  -- `mailto:` with the address; NULL for Telegram, where the code's sender is the chat.
  address TEXT CHECK (length(address) BETWEEN 1 AND 300),
  -- JSON of the settings of the endpoint, and of the member who asked.
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  actor TEXT NOT NULL CHECK (json_valid(actor)),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  -- Codes that were entered for an address.
  tries INTEGER NOT NULL DEFAULT 0,
  -- The endpoint that it has become; NULL: not yet.
  endpoint_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX endpoint_connections_by_merchant ON endpoint_connections
  (merchant_id, environment, expires_at_ms);
