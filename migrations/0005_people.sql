-- The people of a merchant, how they sign in, and who did what.

-- A person who works for two merchants is two members, with a passkey for each.
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
  created_at_ms INTEGER NOT NULL,
  -- NULL while the member may sign in. The row stays: the audit log names it.
  removed_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_merchant ON members (merchant_id, created_at_ms);

-- WebAuthn credentials; a member may have several.
CREATE TABLE passkeys (
  -- base64url, as browsers send it.
  credential_id TEXT PRIMARY KEY CHECK (length(credential_id) BETWEEN 1 AND 1400),
  member_id TEXT NOT NULL REFERENCES members (id),
  -- The COSE key, base64url.
  public_key TEXT NOT NULL,
  -- The authenticator's own count of signatures; 0 for those that do not count.
  counter INTEGER NOT NULL CHECK (counter >= 0),
  -- JSON array of how browsers may reach the authenticator.
  transports TEXT NOT NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- 1 when the authenticator keeps a copy elsewhere: losing the device does not lose the passkey.
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_member ON passkeys (member_id, created_at_ms);

-- One-time links. Without member_id they make a new member; with it they add a passkey to one who
-- has lost theirs. Only the digest of a link's token is kept.
CREATE TABLE invitations (
  -- Lower-case hexadecimal SHA-256 of the token.
  digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
  -- Names the invitation on pages and in the audit log.
  id TEXT NOT NULL UNIQUE,
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  member_id TEXT REFERENCES members (id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'developer', 'viewer')),
  -- Who it is meant for, in the inviter's words.
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- The inviter as the audit log names them: an owner who goes takes their open links along.
  invited_by_id TEXT NOT NULL,
  invited_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_by_merchant ON invitations (merchant_id, created_at_ms);

-- Signed-in browsers. Only the digest of the cookie's token is kept.
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
  -- The end whatever happens; a session that is not used ends earlier.
  expires_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  -- Where it began, for its owner to recognise it.
  address TEXT,
  user_agent TEXT NOT NULL CHECK (length(user_agent) <= 300)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_member ON sessions (member_id, created_at_ms);

-- Challenges that a passkey has signed successfully, until they expire: none is taken twice.
CREATE TABLE spent_challenges (
  challenge TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_challenges_by_expiry ON spent_challenges (expires_at_ms);

-- Who did what, when, from where. Only ever added to: the triggers refuse everything else.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  -- NULL for what concerns no merchant in particular.
  merchant_id TEXT,
  -- NULL for what concerns both environments.
  environment TEXT CHECK (environment IN ('sandbox', 'production')),
  actor_kind TEXT NOT NULL CHECK (actor_kind IN ('member', 'operator')),
  -- A member's id; of the operator the name that was given.
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  -- The client's address, NULL where there is none.
  address TEXT,
  action TEXT NOT NULL,
  -- What it was done to: an id that pages can show. Never a secret.
  target TEXT,
  -- JSON object of what else there is to know. Never a secret or a phone number.
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;

CREATE INDEX audit_log_by_merchant ON audit_log (merchant_id, id);

CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER audit_log_is_never_cut BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
