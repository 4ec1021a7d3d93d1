-- Of a person's endpoint: only the sales of this till, which is a member (docs/notifications.md); NULL: all.
ALTER TABLE webhook_endpoints ADD COLUMN till_id TEXT CHECK (length(till_id) BETWEEN 1 AND 64);
-- The till's name when the endpoint was connected. Members are in the back office's database.
ALTER TABLE webhook_endpoints ADD COLUMN till_name TEXT CHECK (length(till_name) BETWEEN 1 AND 100);
