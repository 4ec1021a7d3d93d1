import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import worker from '../../support/gateway.ts';
import { ALPHA, statusPath } from '../support.ts';

/**
 * Goal: a gateway without tables or secrets names the command that creates them: in the answer for
 * a developer on the same machine, only in the log for an operator (docs/promises.md#10). Method:
 * requests before any migration has run, and without a secret.
 */

const LOCAL = 'http://localhost:8787';
const DEPLOYED = 'https://pay.kefel.test';
const INTERNAL_ERROR = 'Internal server error';

async function answer(origin: string, bindings: Env) {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const headers = { apiKey: ALPHA.apiKeys.sandbox };
  const request = new Request(`${origin}${statusPath('x')}`, { headers });
  const response = await worker.fetch(request as never, bindings, createExecutionContext());
  const { message }: { message: string } = await response.json();
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  return { status: response.status, message, remedy: lines[0]?.remedy };
}

const NO_TABLES = 'The gateway is not set up: the database has no tables. Run: npm run dev';
const NO_SECRETS =
  'The gateway is not set up: a secret or variable is missing or malformed. Run: npm run dev';

test.each([
  ['tables', LOCAL, NO_TABLES, 'npm run dev'],
  ['tables', DEPLOYED, INTERNAL_ERROR, 'npm run setup'],
  ['secrets', LOCAL, NO_SECRETS, 'npm run dev'],
  ['secrets', DEPLOYED, INTERNAL_ERROR, 'npm run setup'],
])('without %s, %s answers "%s" and logs `%s`', async (missing, origin, message, remedy) => {
  const bindings = missing === 'secrets' ? { ...env, LINK_SIGNING_KEYS: '' } : env;
  expect(await answer(origin, bindings)).toEqual({ status: 500, message, remedy });
});
