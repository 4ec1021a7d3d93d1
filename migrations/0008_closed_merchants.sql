-- When the operator closed the merchant, for ever; NULL while it is not. A closed merchant is suspended
-- too. Its payments stay for their time.
ALTER TABLE merchants ADD COLUMN closed_at_ms INTEGER
  CHECK (closed_at_ms IS NULL OR status = 'suspended');
