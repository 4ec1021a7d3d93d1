-- The merchants that have payment links: their registers hold the links, and the daily backup asks these.
CREATE TABLE payment_link_merchants (
  merchant_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
  PRIMARY KEY (merchant_id, environment)
) STRICT, WITHOUT ROWID;
