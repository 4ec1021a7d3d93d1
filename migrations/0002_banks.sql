-- Ethiopia's banks. A code is stored with every split payment that names it: once released, it
-- never changes, even if the bank changes its name. Whether a bank pays out is the operator's to
-- say and may be updated at any time.

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

-- The policy bank and the central bank hold no accounts that a merchant could be paid into.
INSERT INTO banks (code, name, supports_withdrawal) VALUES
  ('DBE', 'Development Bank of Ethiopia', 0),
  ('NBE', 'National Bank of Ethiopia', 0);
