import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { CHALLENGE_MS } from '../../../back-office/members/challenge.ts';
import type { Faults } from '../../../lab/harness/software-authenticator.ts';
import { checksumOf } from '../../../src/control/merchants/bank-code.ts';
import { apiKeyDigest } from '../../../src/engine/merchants/api-key.ts';
import { databaseRows } from '../../security/storage.ts';
import { ALPHA, addEndpoint, advance, intentOf, payHosted, useGateway } from '../support.ts';
import { Browser, joined, rowCounts, signed } from './people-support.ts';
import { type SignedIn, sessionFor, signedIn, submit } from './support.ts';

/**
 * Goal: docs/decisions.md#42: a thief who holds only a session cannot get lasting access or move
 * money. The member's passkey confirms exactly one act, once, soon and in this session. Method:
 * every form that needs it, with every confirmation that is not its own.
 */

useGateway();

type Fields = Readonly<Record<string, string>>;

const REFUSED = /your own passkey, in a browser with JavaScript|nothing was (?:changed|refunded)/;

interface World {
  readonly browser: Browser;
  /** Another owner. */
  readonly other: Browser;
  readonly viewer: SignedIn;
  readonly second: SignedIn;
  /** The transactions of the payments `order-1` and `order-2`. */
  readonly transactions: readonly string[];
}

interface Act {
  readonly path: string;
  readonly fields: Fields;
}

interface Guarded {
  readonly act: (world: World) => Act;
  /** Other acts that the member might have confirmed: changes of this one. */
  readonly others: Readonly<Record<string, (world: World) => Partial<Act>>>;
  /** The status of the confirmed form. */
  readonly status: number;
  /** The status of a refusal: 403 for a page, 401 for an answer to the script. */
  readonly refusal?: 401;
  /** Undoes the act in the database, where a form that changes nothing needs no confirmation. */
  readonly undo?: (world: World) => Promise<unknown>;
  /** Where the form asks for the signature; by default at its path + "/options". */
  readonly offeredAt?: string;
}

const WEBHOOKS = '/dashboard/production/webhooks';
const ENDPOINT = `${WEBHOOKS}/endpoints/we_alpha`;
const KEYS = '/dashboard/production/keys';
const TEAM = '/dashboard/team';
const PASSKEYS = '/dashboard/account/passkeys';
const PAYMENTS = '/dashboard/sandbox/payments';
const HOOK = 'https://hooks.example.com/kefel';
const EVIL = 'https://evil.example.com/kefel';
const SHOW_SHARED = `${WEBHOOKS}/secrets/${ALPHA.id}-production/show`;
const SHOW_OWN = `${ENDPOINT}/secrets/we_alpha-secret/show`;
const BANK_CODE = '/dashboard/branding/bank-code';
const OWN_CODE = bankCodeOf('1234567890');
/** With the merchant's name, and another account. */
const EVIL_CODE = bankCodeOf('9876543210');
const KEY = { name: 'Till', form: 'A'.repeat(22), access: 'restricted', may_refunds: 'yes' };
const memberPath = ({ memberId }: SignedIn) => `${TEAM}/members/${memberId}`;

function bankCodeOf(account: string): string {
  const at = `28610032581b314e257f41bfbbdc6384daa31d160107ETSETAA0210${account}`;
  const text = `000201010211${at}5204541153032305802ET5911Addis Books6011Addis Ababa6304`;
  return text + checksumOf(text);
}

/** A change of some fields. */
const fields = (act: Fields, changes: Fields) => () => ({ fields: { ...act, ...changes } });
const path = (other: string) => () => ({ path: other });

const GUARDED: Readonly<Record<string, Guarded>> = {
  'creating a key': {
    act: () => ({ path: KEYS, fields: KEY }),
    others: {
      name: fields(KEY, { name: 'Other' }),
      form: fields(KEY, { form: 'B'.repeat(22) }),
      permission: fields(KEY, { may_events: 'yes' }),
    },
    status: 200,
  },
  'showing a secret': {
    act: () => ({ path: SHOW_SHARED, fields: {} }),
    others: { secret: path(SHOW_OWN) },
    status: 200,
  },
  'showing an endpoint’s secret': {
    act: () => ({ path: SHOW_OWN, fields: {} }),
    others: { secret: path(SHOW_SHARED) },
    status: 200,
  },
  'rotating the secret': {
    act: () => ({ path: `${WEBHOOKS}/secrets`, fields: { overlapHours: '24' } }),
    others: { overlap: fields({}, { overlapHours: '0' }), secret: path(`${ENDPOINT}/secrets`) },
    status: 200,
  },
  'rotating an endpoint’s secret': {
    act: () => ({ path: `${ENDPOINT}/secrets`, fields: { overlapHours: '24' } }),
    others: { secret: path(`${WEBHOOKS}/secrets`) },
    status: 200,
  },
  'adding an endpoint': {
    act: () => ({ path: `${WEBHOOKS}/endpoints`, fields: { url: EVIL } }),
    others: { url: fields({}, { url: HOOK }) },
    status: 200,
  },
  'redirecting an endpoint': {
    act: () => ({ path: ENDPOINT, fields: { url: EVIL } }),
    others: { url: fields({}, { url: `${HOOK}/2` }) },
    status: 303,
    undo: restoreEndpoint,
  },
  'sending an endpoint more events': {
    act: () => ({ path: ENDPOINT, fields: { url: HOOK, eventType: 'PAYMENT_FAILED' } }),
    others: { type: fields({ url: HOOK }, { eventType: 'PAYMENT_EXPIRED' }) },
    status: 303,
    undo: restoreEndpoint,
  },
  'enabling an endpoint': {
    act: () => ({ path: `${ENDPOINT}/enable`, fields: {} }),
    others: { endpoint: path(`${WEBHOOKS}/endpoints/we_other/enable`) },
    status: 303,
  },
  'putting a bank’s code on signs': {
    act: () => ({ path: BANK_CODE, fields: { bankCode: OWN_CODE, confirmedName: 'Addis Books' } }),
    others: {
      code: () => ({ fields: { bankCode: EVIL_CODE, confirmedName: 'Addis Books' } }),
    },
    status: 303,
  },
  'inviting a member': {
    act: () => ({ path: `${TEAM}/invitations`, fields: { name: 'Sara', role: 'cashier' } }),
    others: {
      role: fields({ name: 'Sara' }, { role: 'developer' }),
      name: fields({ role: 'cashier' }, { name: 'Selam' }),
    },
    status: 200,
  },
  'recovering a member': {
    act: ({ viewer }) => ({ path: `${memberPath(viewer)}/recovery`, fields: {} }),
    others: {
      member: ({ second }) => ({ path: `${memberPath(second)}/recovery` }),
      act: ({ viewer }) => ({ path: `${memberPath(viewer)}/role`, fields: { role: 'cashier' } }),
    },
    status: 200,
  },
  'changing a role': {
    act: ({ viewer }) => ({ path: `${memberPath(viewer)}/role`, fields: { role: 'cashier' } }),
    others: {
      role: fields({}, { role: 'developer' }),
      member: ({ second }) => ({ path: `${memberPath(second)}/role` }),
      act: ({ viewer }) => ({ path: `${memberPath(viewer)}/recovery`, fields: {} }),
    },
    status: 303,
    undo: ({ viewer }) =>
      env.BACK_OFFICE_DB.prepare("UPDATE members SET role = 'viewer' WHERE id = ?1")
        .bind(viewer.memberId)
        .run(),
  },
  'adding a passkey': {
    act: () => ({ path: `${PASSKEYS}/options`, fields: { passkey: 'Key' } }),
    others: { name: fields({}, { passkey: 'Other' }) },
    status: 200,
    refusal: 401,
    offeredAt: `${PASSKEYS}/confirm`,
  },
  'refunding a payment': {
    act: refundOf(0),
    others: {
      amount: (world) => fields(refundOf(0)(world).fields, { amount: '19.99' })(),
      reason: (world) => fields(refundOf(0)(world).fields, { reason: 'another' })(),
      refund: (world) => fields(refundOf(0)(world).fields, { refund: `rfd_${'1'.repeat(32)}` })(),
      payment: refundOf(1),
    },
    status: 200,
    refusal: 401,
  },
};

function restoreEndpoint(): Promise<unknown> {
  return env.DB.prepare("UPDATE webhook_endpoints SET url = ?1, event_types = '[]'")
    .bind(HOOK)
    .run();
}

/** The form that refunds one of the two payments. */
function refundOf(index: 0 | 1) {
  return ({ transactions }: World): Act => ({
    path: `${PAYMENTS}/order-${index + 1}/refund`,
    fields: {
      refund: `rfd_${'0'.repeat(32)}`,
      transaction: transactions[index] ?? '',
      amount: '20.5',
      reason: '',
    },
  });
}

async function world(): Promise<World> {
  for (const id of ['we_alpha', 'we_other']) {
    await addEndpoint(ALPHA, id, { url: HOOK, isEnabled: false }, 'production');
  }
  await payHosted({ paymentIntentUniqueId: 'order-1' });
  await payHosted({ paymentIntentUniqueId: 'order-2' });
  const intents = [await intentOf('order-1'), await intentOf('order-2')];
  return {
    browser: await joined(),
    other: await joined(),
    viewer: await signedIn('viewer'),
    second: await signedIn('viewer'),
    transactions: intents.map(({ attempts }) => attempts[0]?.reference ?? ''),
  };
}

type Signed = Awaited<ReturnType<typeof signed>>;

/** Everything that a confirmed form could change; a used challenge and passkey leave a trace. */
async function belongings(): Promise<unknown> {
  const rows = await databaseRows((table) =>
    ['spent_challenges', 'passkeys', 'sessions'].includes(table),
  );
  const refunds = [await intentOf('order-1'), await intentOf('order-2')].map((it) => it.refunds);
  return [rows, refunds, (await rowCounts()).passkeys];
}

test.each(Object.entries(GUARDED))('%s needs its own confirmation', async (_name, guarded) => {
  const { others, status, refusal = 403, offeredAt } = guarded;
  const here = await world();
  const { browser, other } = here;
  const act = guarded.act(here);
  const offeredTo = (who: Browser | SignedIn, wanted: Act = act) => {
    const at = offeredAt ?? `${wanted.path}/options`;
    return who instanceof Browser ? who.submit(at, wanted.fields) : submit(who, at, wanted.fields);
  };
  const post = ([credential, cookie]: Signed) =>
    browser.submit(act.path, { ...act.fields, credential }, cookie);
  const faulty = async (faults: Faults) => signed(browser, await offeredTo(browser), faults);
  const before = await belongings();
  const refused = async (what: string, confirmation: Signed) => {
    const answer = await post(confirmation);
    expect(answer.status, what).toBe(refusal);
    const text = await answer.text();
    expect(text, what).toMatch(REFUSED);
    expect(text, what).not.toMatch(/whsec_\w|kfl_live_\w{9}/);
    if (refusal === 401) {
      expect(answer.headers.get('set-cookie'), what).toBeNull();
    }
  };

  const [, unsigned] = await faulty({});
  for (const credential of ['', '{', '{}', '[1]', JSON.stringify({ id: 'x' })]) {
    await refused(`the credential ${credential}`, [credential, unsigned]);
  }
  await refused('no challenge', [(await faulty({}))[0], '']);
  await refused('another origin', await faulty({ origin: 'https://evil.example' }));
  await refused('another challenge', await faulty({ challenge: 'A'.repeat(43) }));
  await refused('no finger, face or PIN', await faulty({ isUserVerified: false }));
  await refused('another key', await faulty({ isForged: true }));
  await refused(
    'an unknown passkey',
    await signed(await Browser.create(), await offeredTo(browser)),
  );
  await refused('another member’s passkey', await signed(other, await offeredTo(browser)));
  await refused('another member', await signed(other, await offeredTo(other)));
  const session = await sessionFor((await browser.member()).memberId);
  await refused('another session', await signed(browser, await offeredTo(session)));
  const signIn = await browser.authenticator.sign(await browser.signInOptions());
  const challenge = `__Host-kefel_challenge=${browser.cookies.get('__Host-kefel_challenge')}`;
  await refused('a sign-in', [JSON.stringify(signIn), challenge]);
  for (const [what, change] of Object.entries(others)) {
    const wanted = { ...act, ...change(here) };
    await refused(`another ${what}`, await signed(browser, await offeredTo(browser, wanted)));
  }
  const late = await faulty({});
  advance(CHALLENGE_MS);
  await refused('an expired challenge', late);
  expect(await belongings()).toEqual(before);

  const own = await faulty({});
  expect((await post(own)).status).toBe(status);
  const done = await belongings();
  if (guarded.offeredAt === undefined) {
    expect(done).not.toEqual(before);
  }
  await guarded.undo?.(here);
  const undone = guarded.undo === undefined ? done : await belongings();
  await refused('a spent challenge', own);
  expect(await belongings()).toEqual(undone);
});

test('a production key is rolled only with the member’s passkey, for these permissions', async () => {
  const { browser } = await world();
  const created = await browser.submit(`${KEYS}/options`, KEY);
  const [credential, cookie] = await signed(browser, created);
  const page = await (await browser.submit(KEYS, { ...KEY, credential }, cookie)).text();
  const [apiKey = ''] = /kfl_live_[0-9A-Za-z]{49}/.exec(page) ?? [];
  const roll = `${KEYS}/${await apiKeyDigest(apiKey)}/roll`;
  const form = { ...KEY, form: 'C'.repeat(22), overlap: 'none' };
  const before = await belongings();
  expect((await browser.submit(roll, form)).status).toBe(403);
  const [own, ownCookie] = await signed(browser, await browser.submit(`${roll}/options`, form));
  const more = { ...form, may_events: 'yes', credential: own };
  expect((await browser.submit(roll, more, ownCookie)).status).toBe(403);
  expect(await belongings()).toEqual(before);
  const sent = { ...form, credential: own };
  expect((await browser.submit(roll, sent, ownCookie)).status).toBe(200);
});
