-- The role of a till. A CHECK cannot be changed, so each role moves to a new column, by which no row of
-- another table is touched.
ALTER TABLE members ADD COLUMN new_role TEXT NOT NULL DEFAULT 'till'
  CHECK (new_role IN ('owner', 'developer', 'cashier', 'viewer', 'till'));
UPDATE members SET new_role = role;
ALTER TABLE members DROP COLUMN role;
ALTER TABLE members RENAME COLUMN new_role TO role;

ALTER TABLE invitations ADD COLUMN new_role TEXT NOT NULL DEFAULT 'till'
  CHECK (new_role IN ('owner', 'developer', 'cashier', 'viewer', 'till'));
UPDATE invitations SET new_role = role;
ALTER TABLE invitations DROP COLUMN role;
ALTER TABLE invitations RENAME COLUMN new_role TO role;
