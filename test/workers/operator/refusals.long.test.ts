import { describe, expect, test } from 'vitest';
import { databaseRows } from '../../security/storage.ts';
import { signedIn } from '../dashboard/support.ts';
import { ALPHA, BETA, call, intentOf, payHosted, useGateway } from '../support.ts';
import { operateApi, refundByHand, SECRET, unresolved } from './support.ts';

/**
 * Goal: a request of an operator that an action or a list cannot take is refused with the field and
 * the reason, and changes nothing, the audit log included. Method: a table of requests by the scene
 * in which a good one would be done.
 */

const caught = useGateway();

/** 404, or the errors of a 400; of a list only the fields with errors. */
type Refusal = 400 | 404 | 409 | readonly string[] | Readonly<Record<string, string>>;
type Row = readonly [path: string | (() => Promise<string>), body: unknown, refusal: Refusal];

interface Group {
  readonly scene?: () => Promise<unknown>;
  readonly rows: readonly Row[];
}

const REQUIRED = 'This field is required.';
const NO_CURSOR = { cursor: 'Is not a cursor.' };
const NO_LIMIT = { limit: 'Must be a whole number from 1 to 100.' };
const WRONG_REFERENCE = {
  reference: 'Must be 1 to 64 letters, digits and signs without spaces.',
};

const MERCHANT = `/merchants/${ALPHA.id}`;
const LIMITS = `${MERCHANT}/refund-limits`;
const PAYMENT = `/payments/sandbox/${ALPHA.id}/order-1`;
const ELSEWHERE = [
  `/payments/sandbox/${BETA.id}/order-1`,
  `/payments/production/${ALPHA.id}/order-1`,
];
const RESOLVE = '/attempts/a1/resolve';
const SUCCEEDED = { outcome: 'succeeded', receipt: 'R-77', note: 'Seen at telebirr' };
const FAILED = { outcome: 'failed', reason: 'declined', note: 'Not at telebirr' };
const DECIDE = '/refunds/r1/resolve';
const RETURNED = { outcome: 'returned', reference: 'RF-9', note: 'Returned in the portal' };
const REFUND = { refundUniqueId: 'case-812', amountMinor: 4_000, reason: 'Paid twice' };
const OWNER = { name: 'A', role: 'owner' };
const BANK = { code: 'NEW', name: 'N', supportsWithdrawal: true };
const BOOK = `/books/sandbox/${ALPHA.id}`;

const GROUPS: Readonly<Record<string, Group>> = {
  'a new merchant': {
    rows: [
      ['/merchants', {}, { name: REQUIRED }],
      ['/merchants', { name: '  ' }, { name: 'Must not be empty.' }],
      ['/merchants', { name: 'a\nb' }, { name: 'Must consist of printable characters.' }],
      ['/merchants', { name: 7 }, { name: 'Must be a string.' }],
      ['/merchants', { name: 'A', methds: [] }, { methds: 'There is no such field.' }],
      ['/merchants', [], { body: 'Must be a JSON object.' }],
      [
        '/merchants',
        { name: 'A', id: 'a/b' },
        { id: 'Must be 1 to 64 letters, digits, hyphens and underscores.' },
      ],
      [
        '/merchants',
        { name: 'A', methods: ['CASH'], commissions: [{ method: 'CBE', basisPoints: 10_001 }] },
        {
          'methods[0]':
            'Must be one of TELE_BIRR, TELE_BIRR_USSD, CBE, ETS_SWITCH, M_PESA, E_BIRR.',
          'commissions[0].basisPoints': 'Must be a whole number from 0 to 10000.',
        },
      ],
      [
        '/merchants',
        { name: 'A', methods: ['CBE'], commissions: [{ method: 'M_PESA' }] },
        { commissions: 'Names M_PESA, which is not among the methods.' },
      ],
      [
        '/merchants',
        { name: 'A', commissions: [{ method: 'CBE' }, { method: 'CBE', basisPoints: 1 }] },
        { commissions: 'Names CBE twice.' },
      ],
    ],
  },
  'a list': {
    rows: [
      ['/merchants?limit=0', undefined, NO_LIMIT],
      ['/merchants?limit=101', undefined, NO_LIMIT],
      ['/merchants?limit=1&limit=2', undefined, { limit: 'Must not be given twice.' }],
      ['/merchants?cursor=x', undefined, NO_CURSOR],
      ['/merchants?stauts=active', undefined, { stauts: 'There is no such field.' }],
      ['/merchants?%00=1', undefined, { '\ufffd': 'There is no such field.' }],
      [
        `/merchants?${'x'.repeat(101)}=1`,
        undefined,
        { ['x'.repeat(101)]: 'There is no such field.' },
      ],
      ['/merchants?status=gone', undefined, { status: 'Must be active or suspended.' }],
      ...['x', 'letters~x', 'sandbox-payments~x', 'nothing~', '~'].map(
        (cursor): Row => [`/attention?cursor=${cursor}`, undefined, NO_CURSOR],
      ),
    ],
  },
  'a merchant': {
    rows: [
      ...[
        ...['MyShop', 'javascript', 'intent', 'https', 'ms-msdt', 'my shop', 'myshop://'],
        ...['', 'c', 7],
      ].map(
        (scheme): Row => [
          `${MERCHANT}/app-schemes`,
          { schemes: ['myshop', scheme] },
          ['schemes[1]'],
        ],
      ),
      [LIMITS, { refundDailyMaxMinor: null }, ['refundAgeDaysMax']],
      [LIMITS, { refundAgeDaysMax: 1 }, ['refundDailyMaxMinor']],
      [LIMITS, { refundAgeDaysMax: 0, refundDailyMaxMinor: null }, ['refundAgeDaysMax']],
      [LIMITS, { refundAgeDaysMax: 401, refundDailyMaxMinor: null }, ['refundAgeDaysMax']],
      [
        LIMITS,
        { refundAgeDaysMax: '9', refundDailyMaxMinor: '1' },
        ['refundAgeDaysMax', 'refundDailyMaxMinor'],
      ],
      [LIMITS, { refundAgeDaysMax: 1, refundDailyMaxMinor: -1 }, ['refundDailyMaxMinor']],
      [LIMITS, { refundAgeDaysMax: 1, refundDailyMaxMinor: 0.5 }, ['refundDailyMaxMinor']],
      [`${MERCHANT}/invitations`, { name: 'A', role: 'root' }, 400],
      [`${MERCHANT}/members/mem_x/recovery`, {}, 404],
      [
        async () => `/merchants/${BETA.id}/members/${(await signedIn()).memberId}/recovery`,
        {},
        404,
      ],
      [`${MERCHANT}/live/methods/CBE/offer`, { offered: true }, 404],
      [`${MERCHANT}/sandbox/methods/CASH/offer`, { offered: true }, 404],
      [`${MERCHANT}/sandbox/limits/EUR`, { amountMinorMax: 1 }, 404],
    ],
  },
  'an unknown path': {
    rows: [
      ['/merchants/unknown', undefined, 404],
      ['/merchants/unknown/members', undefined, 404],
      ['/merchants/unknown/suspend', { reason: 'x' }, 404],
      ['/merchants/unknown/rename', { name: 'x' }, 404],
      ['/merchants/unknown/invitations', OWNER, 404],
      ['/merchants/%ff', undefined, 404],
      ['/merchants/unknown/sandbox/methods/CBE/offer', { offered: true }, 404],
      ['/banks/NONE', { supportsWithdrawal: true }, 404],
      ['/nothing', undefined, 404],
    ],
  },
  'a bank or a book': {
    rows: [
      ['/banks', { ...BANK, code: 'new' }, 400],
      ['/banks/CBE', { code: 'CBE2' }, 400],
      ['/banks/CBE', {}, 400],
      ['/books/rebuild', {}, 400],
      ['/books/rebuild', { objectIds: ['00'] }, 400],
      ['/books/rebuild', { objectIds: [] }, 400],
      [`${BOOK}/rebuild`, { limit: 201 }, 400],
      [`${BOOK}/rebuild`, { after: 'x' }, 400],
      [`${BOOK}/rebuild`, { volume: '-1' }, 400],
      ['/books/test/x/rebuild', {}, 404],
      [`${BOOK}/restore`, {}, 400],
      [`${BOOK}/restore`, { at: 'yesterday' }, 400],
      [`${BOOK}/restore`, { at: '2026-13-01T00:00Z' }, 400],
      [`${BOOK}/restore`, { at: '2026-02-30T00:00Z' }, 400],
      ['/restore', {}, 400],
      ['/restore', { run: '20261399T000000Z' }, 400],
      ['/restore/parts', { name: '../x', base64: 'AA==' }, 400],
      ['/restore/parts', { name: 'runs/x', base64: '?' }, 400],
    ],
  },
  'a dead letter': {
    rows: [
      ['/dead-letters/discard', { ids: ['dead-0'] }, { reason: REQUIRED }],
      ['/dead-letters/discard', { ids: [], reason: 'x' }, ['ids']],
      ['/dead-letters/discard', { ids: Array(51).fill('dead-0'), reason: 'x' }, ['ids']],
    ],
  },
  'an unresolved payment': {
    scene: () => unresolved(caught),
    rows: [
      [`/payments/sandbox/${ALPHA.id}/other/review`, { note: 'x' }, 404],
      [`${PAYMENT}/restore`, { at: 'yesterday' }, 400],
      ...ELSEWHERE.map((path): Row => [`${path}/review`, { note: 'x' }, 404]),
      [`${PAYMENT}/review`, {}, { note: REQUIRED }],
      [`${PAYMENT}/review`, { note: 'x'.repeat(501) }, ['note']],
      [`${PAYMENT}${RESOLVE}`, { ...SUCCEEDED, receipt: undefined }, { receipt: REQUIRED }],
      [`${PAYMENT}${RESOLVE}`, { ...FAILED, reason: undefined }, { reason: REQUIRED }],
      [`${PAYMENT}${RESOLVE}`, { ...FAILED, note: undefined }, { note: REQUIRED }],
      [
        `${PAYMENT}${RESOLVE}`,
        { ...FAILED, receipt: 'R' },
        { receipt: 'Only for a succeeded outcome.' },
      ],
      [
        `${PAYMENT}${RESOLVE}`,
        { ...SUCCEEDED, reason: 'declined' },
        { reason: 'Only for a failed outcome.' },
      ],
      [
        `${PAYMENT}${RESOLVE}`,
        { outcome: 'unknown', note: 'x' },
        { outcome: 'Must be succeeded or failed.' },
      ],
      [`${PAYMENT}/attempts/a2/resolve`, SUCCEEDED, 404],
      ...ELSEWHERE.map((path): Row => [`${path}${RESOLVE}`, SUCCEEDED, 404]),
    ],
  },
  'a refund by hand': {
    scene: refundByHand,
    rows: [
      [`${PAYMENT}${DECIDE}`, { note: 'x' }, { outcome: REQUIRED }],
      [
        `${PAYMENT}${DECIDE}`,
        { ...RETURNED, outcome: 'succeeded' },
        { outcome: 'Must be returned or not_returned.' },
      ],
      [`${PAYMENT}${DECIDE}`, { ...RETURNED, reference: undefined }, { reference: REQUIRED }],
      [`${PAYMENT}${DECIDE}`, { outcome: 'not_returned' }, { note: REQUIRED }],
      [`${PAYMENT}${DECIDE}`, { ...RETURNED, reference: 'RF 9' }, WRONG_REFERENCE],
      [`${PAYMENT}${DECIDE}`, { ...RETURNED, reference: 'R'.repeat(65) }, WRONG_REFERENCE],
      [
        `${PAYMENT}${DECIDE}`,
        { ...RETURNED, outcome: 'not_returned' },
        { reference: 'Only for money that was returned.' },
      ],
      [`${PAYMENT}/refunds/r2/resolve`, RETURNED, 404],
      ...ELSEWHERE.map((path): Row => [`${path}${DECIDE}`, RETURNED, 404]),
    ],
  },
  'a refund that the operator requests': {
    scene: payHosted,
    rows: [
      [`${PAYMENT}/refunds`, { ...REFUND, reason: undefined }, { reason: REQUIRED }],
      [`${PAYMENT}/refunds`, { ...REFUND, amountMinor: 0 }, ['amountMinor']],
      [`${PAYMENT}/refunds`, { ...REFUND, amountMinor: null }, ['amountMinor']],
      [`${PAYMENT}/refunds`, { ...REFUND, refundUniqueId: 'a/b' }, ['refundUniqueId']],
      [`${PAYMENT}/refunds`, { ...REFUND, amount: 40 }, ['amount']],
      ...ELSEWHERE.map((path): Row => [`${path}/refunds`, REFUND, 404]),
    ],
  },
};

/** All that is stored, here and in the payment's object. */
async function stored() {
  return [await databaseRows(), await intentOf().catch(() => null)];
}

describe.each(Object.entries(GROUPS))('%s', (_name, { scene, rows }) => {
  test.each(rows)('%s refuses %j: %j', async (given, body, refusal) => {
    await scene?.();
    const path = typeof given === 'string' ? given : await given();
    const before = await stored();
    const { status, envelope } = await operateApi(path, body);
    const { validationErrors = {} } = envelope;
    if (typeof refusal === 'number') {
      expect(status).toBe(refusal);
    } else {
      const errors = Array.isArray(refusal) ? Object.keys(validationErrors) : validationErrors;
      expect([status, errors]).toEqual([400, refusal]);
    }
    expect(await stored()).toEqual(before);
  });
});

test('refuses a body with more levels than a call to the payments can pass', async () => {
  const before = await stored();
  const { status } = await call(`/operator/v1${MERCHANT}/rename`, {
    method: 'POST',
    apiKey: null,
    contentType: 'application/json',
    headers: { authorization: `Bearer ${SECRET}` },
    body: `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  });
  expect(status).toBe(400);
  expect(await stored()).toEqual(before);
});
