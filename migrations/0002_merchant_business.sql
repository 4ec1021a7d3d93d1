-- Who sells, for receipts. New payments copy it. No row: nothing is set.
CREATE TABLE merchant_business (
  merchant_id TEXT PRIMARY KEY REFERENCES merchants (id),
  legal_name TEXT CHECK (length(legal_name) BETWEEN 1 AND 200),
  tin TEXT CHECK (length(tin) = 10 AND tin NOT GLOB '*[^0-9]*'),
  vat_number TEXT CHECK (length(vat_number) BETWEEN 1 AND 20),
  address TEXT CHECK (length(address) BETWEEN 1 AND 300),
  -- An e-mail address or a telephone number.
  contact TEXT CHECK (length(contact) BETWEEN 1 AND 100)
) STRICT, WITHOUT ROWID;
