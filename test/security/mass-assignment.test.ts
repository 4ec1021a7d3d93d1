import { expect, test } from 'vitest';
import { auditLog, signedIn, submit } from '../workers/dashboard/support.ts';
import {
  ALPHA,
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
  postRefund,
  statusPath,
  useGateway,
} from '../workers/support.ts';

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

const STRICT: readonly (readonly [string, (extra: Body) => Promise<Response>])[] = [
  [
    'a webhook endpoint',
    (extra) =>
      call('/api/v1/payment/sandbox/webhook-endpoints', {
        method: 'POST',
        body: { url: 'https://shop.example.com/', ...extra },
      }),
  ],
  [
    'a payment link',
    (extra) =>
      call('/api/v1/payment/sandbox/links', {
        method: 'POST',
        body: { title: 'Honey', amount: 450, ...extra },
      }),
  ],
  ['a refund', (extra) => postRefund(extra)],
];

test.each(STRICT)('API3:2023, ASVS 5.0 V15.3.3 %s: fields of ours are errors', async (...row) => {
  const [, post] = row;
  await payHosted();
  const before = await allRows();
  // A refund has a field of this name, which its own tests are about.
  const { amountMinor: _, ...foreign } = PRIVILEGED;
  for (const [field, value] of Object.entries({ ...foreign, secret: 'whsec_AAAA' })) {
    const { status, envelope } = await answerOf(post({ [field]: value }));
    expect([status, envelope.validationErrors]).toEqual([400, { [field]: expect.any(String) }]);
  }
  expect(await allRows()).toEqual(before);
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
