-- Methods that the operator has switched off for all merchants of an environment. Few rows, usually none.
CREATE TABLE switched_off_methods (
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  -- One of METHODS in src/engine/domain/method.ts.
  method TEXT NOT NULL CHECK (length(method) BETWEEN 1 AND 40),
  -- What customers read besides "not available now", as the operator wrote it, or NULL.
  text TEXT CHECK (length(text) BETWEEN 1 AND 200),
  since_ms INTEGER NOT NULL,
  switched_off_by TEXT NOT NULL,
  PRIMARY KEY (environment, method)
) STRICT, WITHOUT ROWID;
