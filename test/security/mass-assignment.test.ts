import { expect, test } from 'vitest';
import { ROUTES } from '../workers/api/operations.ts';
import { auditLog, signedIn, submit } from '../workers/dashboard/support.ts';
import { createLink } from '../workers/support/links.ts';
import {
  ALPHA,
  addEndpoint,
  allRows,
  answerOf,
  BETA,
  type Body,
  call,
  cancelPath,
  createHosted,
  payHosted,
  postExpress,
  postHosted,
  statusPath,
  useGateway,
} from '../workers/support.ts';
import { databaseRows } from './storage.ts';

/**
 * Goal: a caller sets only the fields that are documented as theirs
 * (docs/reliability.md#api3). Method: bodies and forms with fields of our own objects, under
 * every name that they have inside, compared with the same request without them.
 */

useGateway();

/** What a payment has, and a merchant must not set. */
const PRIVILEGED: Body = {
  id: 1,
  uuid: '00000000-0000-4000-8000-000000000000',
  number: 7,
  status: 'SUCCESS',
  merchantId: BETA.id,
  merchant: { id: BETA.id },
  environment: 'production',
  test: false,
  version: 99,
  createdAtMs: 1,
  expiresAtMs: 9e15,
  amountMinor: 1,
  commission: 0,
  commissionMinor: 0,
  chargedMinor: 1,
  totalAmount: 1,
  ownOrigin: 'https://evil.example',
  attempts: [{ id: 'a1', status: 'succeeded' }],
  refunds: [{ id: 'r1' }],
  anomalies: [],
  constructor: { prototype: { polluted: true } },
  prototype: { polluted: true },
};

/** `__proto__` as a field of its own, which only parsed text has. */
const withProto = (body: Body): Body =>
  JSON.parse(
    JSON.stringify(body).replace(/^\{/, '{"__proto__":{"polluted":true,"status":"SUCCESS"},'),
  );

/** The merchant's view; ids differ from payment to payment. */
async function viewOf(uniqueId: string): Promise<unknown> {
  const { text } = await answerOf(call(statusPath(uniqueId)));
  const isId = (name: string) =>
    /^(?:id|uuid|uniqueId|paymentIntentId|transactionId|checkoutUrl)$/.test(name);
  return JSON.parse(text, (name, value) => (isId(name) ? typeof value : value));
}

test.each([
  ['hosted', postHosted],
  ['express', postExpress],
] as const)(
  'API3:2023, ASVS 5.0 V15.3.3 %s: fields of ours are ignored and named',
  async (...row) => {
    const [, post] = row;
    await answerOf(post({ paymentIntentUniqueId: 'plain' }));
    const { status, text } = await answerOf(
      post(withProto({ ...PRIVILEGED, paymentIntentUniqueId: 'sent' })),
    );
    expect(status).toBe(200);
    expect(await viewOf('sent')).toEqual(await viewOf('plain'));
    const warnings: string[] = JSON.parse(text).warnings;
    // The answer names at most 20 of them, and counts the others.
    expect(warnings).toContain('status is not a known field and was ignored.');
    expect(warnings.at(-1)).toMatch(/^\d+ more unknown fields were ignored\.$/);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  },
);

/** Calls with a body. Those that create a payment, and the resend of events, ignore what they do not know. */
const STRICT = ROUTES.filter(
  ({ id, environment, body }) =>
    environment === 'sandbox' &&
    body !== undefined &&
    !/^(?:create\w+Payment|resendEvents)$/.test(id),
);
const IDS: Readonly<Record<string, string>> = {
  payment: 'order-1',
  endpoint: 'we_alpha',
  link: 'link-honey',
};

test.each(STRICT)('API3:2023, ASVS 5.0 V15.3.3 $id: fields of ours are errors', async (route) => {
  const { method, pathOf, thing, body } = route;
  await payHosted();
  await addEndpoint(ALPHA, 'we_alpha', { url: 'https://shop.example.com/' });
  await createLink();
  // A key's use is recorded.
  const stored = async () => [await allRows(), await databaseRows((table) => table === 'api_keys')];
  const before = await stored();
  const named = IDS[thing ?? ''] ?? '';
  const own = body?.(named) ?? {};
  const foreign = Object.entries({ ...PRIVILEGED, secret: 'whsec_AAAA' });
  for (const [field, value] of foreign.filter(([name]) => !Object.hasOwn(own, name))) {
    const sent = call(pathOf(named), { method, body: { ...own, [field]: value } });
    const { status, envelope } = await answerOf(sent);
    expect([status, envelope.validationErrors]).toEqual([400, { [field]: expect.any(String) }]);
  }
  expect(await stored()).toEqual(before);
});

test('API3:2023 a cancellation takes nothing from its body', async () => {
  await createHosted();
  const { status, text } = await answerOf(
    call(cancelPath('order-1'), { method: 'POST', body: PRIVILEGED }),
  );
  expect(status).toBe(200);
  expect(JSON.parse(text).content).not.toMatchObject({ status: 'SUCCESS' });
});

/** Forms with the fields that a member would like to set. */
const FORMS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['/dashboard/team/invitations', { name: 'Eve', role: 'operator' }, 'a role beyond the merchant'],
  ['/dashboard/team/invitations', { name: 'Eve', role: 'constructor' }, 'a name of JavaScript'],
  ['/dashboard/branding/color', { color: 'red;}body{display:none' }, 'CSS instead of a color'],
  ['/dashboard/branding/business', { contact: 'javascript:alert(1)' }, 'script instead of a link'],
];

test.each(FORMS)('API3:2023 the form %s refuses %o', async (path, fields) => {
  const { status } = await submit(await signedIn(), path, fields);
  expect(status).toBe(400);
  expect(await auditLog()).toEqual([]);
});

test('API5:2023 fields that name another merchant or environment change nothing', async () => {
  const member = await signedIn();
  const fields = {
    merchantId: BETA.id,
    merchant: BETA.id,
    environment: 'production',
    role: 'owner',
  };
  const form = { ...fields, name: 'Till', form: 'A'.repeat(22), permissions: 'refunds' };
  expect((await submit(member, '/dashboard/sandbox/keys', form)).status).toBeLessThan(500);
  const entries = await auditLog();
  expect(entries.map(({ merchant_id, environment }) => [merchant_id, environment])).toEqual(
    entries.map(() => [ALPHA.id, 'sandbox']),
  );
  expect(entries.length).toBe(1);
});
