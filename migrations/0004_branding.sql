-- A merchant's own colour and logo on the customers' pages, in both environments alike. A payment
-- keeps the branding that it was created with.

-- Logos by content, only ever added: a payment names the digest of the logo it was created with,
-- and its page shows that one however often the merchant has changed it since.
CREATE TABLE merchant_logos (
  -- References make a typing error in a merchant's id fail instead of branding nobody.
  merchant_id TEXT NOT NULL REFERENCES merchants (id),
  -- Lower-case hexadecimal SHA-256 of the bytes.
  digest TEXT NOT NULL CHECK (length(digest) = 64 AND digest NOT GLOB '*[^0-9a-f]*'),
  media_type TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/webp', 'image/jpeg')),
  -- Text and no BLOB, because `wrangler d1 execute --file` takes SQL as text. 16 KiB in base64.
  base64 TEXT NOT NULL CHECK (length(base64) BETWEEN 4 AND 21848),
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (merchant_id, digest)
) STRICT, WITHOUT ROWID;

-- What new payments get. No row, or NULL: the pages' own look.
CREATE TABLE merchant_branding (
  merchant_id TEXT PRIMARY KEY REFERENCES merchants (id),
  colour TEXT CHECK (
    length(colour) = 7 AND colour GLOB '#*' AND substr(colour, 2) NOT GLOB '*[^0-9a-f]*'
  ),
  logo_digest TEXT,
  FOREIGN KEY (merchant_id, logo_digest) REFERENCES merchant_logos (merchant_id, digest)
) STRICT, WITHOUT ROWID;
