import { expect, test } from 'vitest';
import { signedIn, visit } from '../dashboard/support.ts';
import { operate } from '../operator/support.ts';
import { advance, call, logged, useGateway } from '../support.ts';

/** Goal: each refusal for want of credentials, a role or a permission is in the log, without a secret. */

useGateway();

const MINUTE_MS = 60_000;
const INVENTED = 'kfl_test_invented';

test.each([
  ['api_key_refused', 'api_key_missing', () => call('/api/v1/payment/banks', { apiKey: null })],
  ['api_key_refused', 'api_key_invalid', () => call('/api/v1/payment/banks', { apiKey: INVENTED })],
  [
    'operator_refused',
    'operator_secret_invalid',
    () => operate('/operator/v1/health', undefined, { authorization: `Bearer ${INVENTED}` }),
  ],
  [
    'operator_refused',
    'operator_secret_invalid',
    () =>
      call('/operator/sign-in', {
        method: 'POST',
        apiKey: null,
        contentType: 'application/x-www-form-urlencoded',
        body: `secret=${INVENTED}&name=Abebe`,
        headers: { 'sec-fetch-site': 'same-origin' },
      }),
  ],
  ['member_refused', 'not_allowed', async () => visit(await signedIn('viewer'), '/dashboard/team')],
] as const)('%s: %s leaves one line with the id of the request', async (event, code, send) => {
  // A period of its own, whatever was refused before.
  advance(MINUTE_MS);
  const before = logged.length;
  const response = await send();
  expect([401, 403]).toContain(response.status);
  const lines = logged.slice(before).map((line) => JSON.parse(line));
  const requestId = response.headers.get('x-request-id');
  expect(lines.filter((line) => line.event === event)).toEqual([
    expect.objectContaining({ event, code, requestId }),
  ]);
  expect(JSON.stringify(lines)).not.toContain(INVENTED);
});
