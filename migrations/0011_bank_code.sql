-- The national QR text that a merchant's bank gave it, which its signs carry unchanged.
ALTER TABLE merchant_branding ADD COLUMN bank_code TEXT CHECK (length(bank_code) BETWEEN 1 AND 512);
