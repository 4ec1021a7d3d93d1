-- The database of the back office: the people of merchants, and what they changed about each other. A
-- change of the schema is a new file with the next number; a file that was deployed never changes.
--
-- Merchants are in the payments' database, so no key refers to them. Times are milliseconds since 1970
-- in UTC.

-- ---------------------------------------------------------------------------------------------
-- Members and how they sign in

-- A person who works for two merchants is two members, with a passkey for each.
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'cashier', 'viewer')),
  created_at_ms INTEGER NOT NULL,
  -- NULL while the member may sign in. The row stays, because the audit log names it.
  removed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_merchant ON members (merchant_id, created_at_ms);

-- WebAuthn credentials; a member may have several.
CREATE TABLE passkeys (
  -- base64url, as browsers send it.
  credential_id TEXT PRIMARY KEY CHECK (length(credential_id) BETWEEN 1 AND 1400),
  member_id TEXT NOT NULL REFERENCES members (id),
  -- The COSE key in base64url.
  public_key TEXT NOT NULL,
  -- The authenticator's count of its signatures; 0 for one that does not count.
  counter INTEGER NOT NULL CHECK (counter >= 0),
  -- JSON array of the ways in which a browser may reach the authenticator.
  transports TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- 1 when the passkey is synchronized: it outlives the device.
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_member ON passkeys (member_id, created_at_ms);

-- One-time links. A link without member_id creates a member; a link with it adds a passkey to a
-- member who has lost theirs. Only the digest of a link's token is stored.
CREATE TABLE invitations (
  -- Lower-case hexadecimal SHA-256 of the token.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  -- Names the invitation on pages and in the audit log.
  id TEXT NOT NULL UNIQUE,
  merchant_id TEXT NOT NULL,
  member_id TEXT REFERENCES members (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'cashier', 'viewer')),
  -- The person whom the link is for, as the inviter wrote it.
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- The inviter as the audit log names them. Removing an owner revokes the owner's open links.
  invited_by_id TEXT NOT NULL,
  invited_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_by_merchant ON invitations (merchant_id, created_at_ms);

-- Signed-in browsers. Only the digest of the cookie's token is stored.
CREATE TABLE sessions (
  -- Lower-case hexadecimal SHA-256 of the token.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  -- Names the session on pages and in forms.
  id TEXT NOT NULL UNIQUE,
  member_id TEXT NOT NULL REFERENCES members (id),
  credential_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- Written at most every few minutes.
  last_seen_at_ms INTEGER NOT NULL,
  -- The latest end; an unused session ends earlier.
  expires_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  -- Address and browser at sign-in, by which the member recognizes the session.
  address TEXT,
  user_agent TEXT NOT NULL CHECK (length(user_agent) <= 300),
  -- The end of the lease by which the session writes a CSV file; NULL while it writes none.
  exporting_until_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_member ON sessions (member_id, created_at_ms);

-- Challenges that a passkey has signed, kept until they expire: a signature signs in once.
CREATE TABLE spent_challenges (
  challenge TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at_ms);

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
