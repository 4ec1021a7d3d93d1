import { expect, test } from 'vitest';
import { ACTIONS } from '../../../back-office/operator/actions/all.ts';
import { databaseRows } from '../../security/storage.ts';
import { clientIn } from '../rails/support.ts';
import { ALPHA, BETA, type Body, call, useGateway } from '../support.ts';
import { PATHS, type Prepared, pathWith, prepare, send, useOperations } from './operations.ts';
import { operateApi, SECRET } from './support.ts';

/**
 * Goal: a request of an operator that an action or a list cannot take is refused with the field and
 * the reason, and changes nothing, the audit log included. Method: each action with a request that
 * names nothing, lacks a field or has one too many, and with the values of a table; then, to prove
 * that the state was right, with the good request.
 */

useOperations();
const caught = useGateway();

/** The status, or the errors of a 400; of a list only the fields with errors. */
type Refusal = 400 | 404 | 409 | readonly string[] | Readonly<Record<string, string>>;

const REQUIRED = 'This field is required.';
const UNKNOWN = 'There is no such field.';
const NO_CURSOR = { cursor: 'Is not a cursor.' };
const NO_LIMIT = { limit: 'Must be a whole number from 1 to 100.' };
const WRONG_REFERENCE = {
  reference: 'Must be 1 to 64 letters, digits and signs without spaces.',
};

const PAYMENT = '/payments/:environment/:merchantId/:uniqueId';
const FAILED = { outcome: 'failed', reason: 'declined', receipt: undefined };
const RETURNED = { outcome: 'returned', reference: 'RF-9' };

/** Changes of a good body. */
const REFUSED: Readonly<Record<string, readonly (readonly [Body, Refusal])[]>> = {
  '/merchants': [
    [{ name: '  ' }, { name: 'Must not be empty.' }],
    [{ name: 'a\nb' }, { name: 'Must consist of printable characters.' }],
    [{ name: 7 }, { name: 'Must be a string.' }],
    [{ id: 'a/b' }, { id: 'Must be 1 to 64 letters, digits, hyphens and underscores.' }],
    [
      { methods: ['CASH'], commissions: [{ method: 'CBE', basisPoints: 10_001 }] },
      {
        'methods[0]': 'Must be one of TELE_BIRR, TELE_BIRR_USSD, CBE, ETS_SWITCH, M_PESA, E_BIRR.',
        'commissions[0].basisPoints': 'Must be a whole number from 0 to 10000.',
      },
    ],
    [
      { methods: ['CBE'], commissions: [{ method: 'M_PESA' }] },
      { commissions: 'Names M_PESA, which is not among the methods.' },
    ],
    [
      { commissions: [{ method: 'CBE' }, { method: 'CBE', basisPoints: 1 }] },
      { commissions: 'Names CBE twice.' },
    ],
  ],
  '/merchants/:merchantId/app-schemes': [
    ...['MyShop', 'javascript', 'intent', 'https', 'ms-msdt', 'my shop', 'myshop://', '', 'c', 7],
  ].map((scheme) => [{ schemes: ['myshop', scheme] }, ['schemes[1]']] as const),
  '/merchants/:merchantId/refund-limits': [
    [{ refundAgeDaysMax: 0 }, ['refundAgeDaysMax']],
    [{ refundAgeDaysMax: 401 }, ['refundAgeDaysMax']],
    [
      { refundAgeDaysMax: '9', refundDailyMaxMinor: '1' },
      ['refundAgeDaysMax', 'refundDailyMaxMinor'],
    ],
    [{ refundDailyMaxMinor: -1 }, ['refundDailyMaxMinor']],
    [{ refundDailyMaxMinor: 0.5 }, ['refundDailyMaxMinor']],
  ],
  '/merchants/:merchantId/invitations': ['root', 'operator', '__proto__'].map(
    (role) => [{ role }, 400] as const,
  ),
  '/banks': [[{ code: 'new' }, 400]],
  '/banks/:code': [[{ name: undefined }, 400]],
  '/books/rebuild': [
    [{ objectIds: ['00'] }, 400],
    [{ objectIds: [] }, 400],
  ],
  '/books/:environment/:merchantId/rebuild': [
    [{ limit: 201 }, 400],
    [{ after: 'x' }, 400],
    [{ volume: '-1' }, 400],
  ],
  '/books/:environment/:merchantId/restore': [
    [{ at: 'yesterday' }, 400],
    [{ at: '2026-13-01T00:00Z' }, 400],
    [{ at: '2026-02-30T00:00Z' }, 400],
  ],
  '/dead-letters/discard': [
    [{ ids: [] }, ['ids']],
    [{ ids: Array(51).fill('dead-0') }, ['ids']],
  ],
  [`${PAYMENT}/restore`]: [[{ at: 'yesterday' }, 400]],
  [`${PAYMENT}/review`]: [[{ note: 'x'.repeat(501) }, ['note']]],
  [`${PAYMENT}/attempts/:attemptId/resolve`]: [
    [{ receipt: undefined }, { receipt: REQUIRED }],
    [{ ...FAILED, reason: undefined }, { reason: REQUIRED }],
    [{ ...FAILED, receipt: 'R' }, { receipt: 'Only for a succeeded outcome.' }],
    [{ reason: 'declined' }, { reason: 'Only for a failed outcome.' }],
    [{ outcome: 'unknown', receipt: undefined }, { outcome: 'Must be succeeded or failed.' }],
  ],
  [`${PAYMENT}/refunds/:refundId/resolve`]: [
    [{ ...RETURNED, outcome: 'succeeded' }, { outcome: 'Must be returned or not_returned.' }],
    [{ ...RETURNED, reference: undefined }, { reference: REQUIRED }],
    [{ ...RETURNED, reference: 'RF 9' }, WRONG_REFERENCE],
    [{ ...RETURNED, reference: 'R'.repeat(65) }, WRONG_REFERENCE],
    [{ reference: 'RF-9' }, { reference: 'Only for money that was returned.' }],
  ],
  [`${PAYMENT}/refunds`]: [
    [{ amountMinor: 0 }, ['amountMinor']],
    [{ amountMinor: null }, ['amountMinor']],
    [{ refundUniqueId: 'a/b' }, ['refundUniqueId']],
  ],
};

/** Fields that the good requests have although the action does not require them. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  '/merchants': ['id'],
  '/methods/:environment/:method/switch-off': ['text'],
  '/banks/:code': ['name'],
  [`${PAYMENT}/refunds`]: ['refundUniqueId'],
  [`${PAYMENT}/attempts/:attemptId/resolve`]: ['receipt'],
};

/** Parts of paths that name nothing. */
const ABSENT: Readonly<Record<string, string>> = {
  merchantId: 'unknown',
  environment: 'test',
  uniqueId: 'order-9',
  attemptId: 'a2',
  refundId: 'r2',
  memberId: 'mem_none',
  invitationId: 'inv_none',
  method: 'CASH',
  currency: 'EUR',
  code: 'NONE',
  channel: 'pager',
};

/** A restore and a rebuild bring back what the gateway has lost, so they take any name. */
const TAKES_ANY_NAME = /^\/books|\/restore$/;

/** What exists, but elsewhere. */
function elsewhere(name: string, { values }: Prepared): Readonly<Record<string, string>> {
  if (/:(?:uniqueId|digest)/.test(name) && !TAKES_ANY_NAME.test(name)) {
    const environment = values.environment === 'sandbox' ? 'production' : 'sandbox';
    return { merchantId: BETA.id, environment };
  }
  return /:(?:member|invitation)Id/.test(name) ? { merchantId: BETA.id } : {};
}

/** Requests that the action refuses, by what is wrong with each. */
function refusedRequests(name: string, prepared: Prepared) {
  const { path, body, values } = prepared;
  const rows: (readonly [path: string, body: unknown, refusal: Refusal])[] = [];
  const named = Object.entries(ABSENT)
    .filter(([part]) => name.includes(`:${part}`))
    .filter(([part]) => part === 'environment' || !TAKES_ANY_NAME.test(name));
  for (const [part, value] of [...named, ...Object.entries(elsewhere(name, prepared))]) {
    rows.push([pathWith(name, { ...values, [part]: value }), body, 404]);
  }
  if (ACTIONS.find((action) => action.path === name)?.fields !== null) {
    rows.push([path, [], { body: 'Must be a JSON object.' }]);
    rows.push([path, { ...body, status: 'active' }, { status: UNKNOWN }]);
  }
  for (const field of Object.keys(body)) {
    if (!OPTIONAL[name]?.includes(field)) {
      rows.push([path, { ...body, [field]: undefined }, { [field]: REQUIRED }]);
    }
  }
  for (const [changes, refusal] of REFUSED[name] ?? []) {
    rows.push([path, { ...body, ...changes }, refusal]);
  }
  return rows;
}

async function expectRefusal(
  answer: ReturnType<typeof operateApi>,
  refusal: Refusal,
  what: unknown,
) {
  const { status, envelope } = await answer;
  const { validationErrors = {} } = envelope;
  if (typeof refusal === 'number') {
    expect([what, status]).toEqual([what, refusal]);
  } else {
    const errors = Array.isArray(refusal) ? Object.keys(validationErrors) : validationErrors;
    expect([what, status, errors]).toEqual([what, 400, refusal]);
  }
}

test.each(PATHS)('%s', async (name) => {
  const prepared = await prepare(name, caught);
  const environment = prepared.values.environment === 'production' ? 'production' : 'sandbox';
  const stored = async () => [await databaseRows(), await clientIn(environment).read()];
  const before = await stored();
  for (const [path, body, refusal] of refusedRequests(name, prepared)) {
    await expectRefusal(send(path, body), refusal, [path, body]);
    expect([path, body, await stored()]).toEqual([path, body, before]);
  }
  expect(await send(prepared.path, prepared.body)).toMatchObject({ status: 200 });
});

test.each<[path: string, Refusal]>([
  ['/merchants?limit=0', NO_LIMIT],
  ['/merchants?limit=101', NO_LIMIT],
  ['/merchants?limit=1&limit=2', { limit: 'Must not be given twice.' }],
  ['/merchants?cursor=x', NO_CURSOR],
  ['/merchants?stauts=active', { stauts: UNKNOWN }],
  ['/merchants?%00=1', { '\ufffd': UNKNOWN }],
  [`/merchants?${'x'.repeat(101)}=1`, { ['x'.repeat(101)]: UNKNOWN }],
  ['/merchants?status=gone', { status: 'Must be one of active, suspended, closed.' }],
  ...['x', 'letters~x', 'sandbox-payments~x', 'nothing~', '~'].map((cursor): [string, Refusal] => [
    `/attention?cursor=${cursor}`,
    NO_CURSOR,
  ]),
  ['/merchants/unknown', 404],
  ['/merchants/unknown/members', 404],
  ['/merchants/%ff', 404],
  ['/nothing', 404],
])('%s refuses with %j', async (path, refusal) => {
  await expectRefusal(operateApi(path), refusal, path);
});

test.each<[path: string, Body]>([
  ['/restore', {}],
  ['/restore', { run: '20261399T000000Z' }],
  ['/restore/parts', { name: '../x', base64: 'AA==' }],
  ['/restore/parts', { name: 'runs/x', base64: '?' }],
])('%s refuses %j', async (path, body) => {
  const before = await databaseRows();
  await expectRefusal(operateApi(path, body), 400, path);
  expect(await databaseRows()).toEqual(before);
});

test('refuses a body with more levels than a call to the payments can pass', async () => {
  const before = await databaseRows();
  const { status } = await call(`/operator/v1/merchants/${ALPHA.id}/rename`, {
    method: 'POST',
    apiKey: null,
    contentType: 'application/json',
    headers: { authorization: `Bearer ${SECRET}` },
    body: `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  });
  expect(status).toBe(400);
  expect(await databaseRows()).toEqual(before);
});
