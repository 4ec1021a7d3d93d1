import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { WRANGLER_CONFIG_FILE } from '../../../scripts/project/files.ts';
import { CALL_POLICIES, RESEND_POLICY } from '../../../src/engine/api/call.ts';

/** Goal: `RateLimit-Policy` tells the truth. A Worker cannot read the limits of its own bindings. */
test('the policies of calls are the limits of wrangler.toml (docs/decisions.md#27)', () => {
  const { ratelimits } = parse(readFileSync(WRANGLER_CONFIG_FILE, 'utf8'));
  const limits = ['API_RATE_LIMIT', 'FAILED_KEY_RATE_LIMIT', 'RESEND_RATE_LIMIT'].map((name) =>
    (ratelimits as { name: string; simple: unknown }[]).find((entry) => entry.name === name),
  );
  expect(limits.map((entry) => entry?.simple)).toEqual(
    [...CALL_POLICIES, RESEND_POLICY].map(({ requestsMax, periodSeconds }) => ({
      limit: requestsMax,
      period: periodSeconds,
    })),
  );
});
