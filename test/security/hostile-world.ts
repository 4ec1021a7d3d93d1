import { env } from 'cloudflare:workers';
import { DASHBOARD_ROUTES } from '../../back-office/dashboard/routes.ts';
import { newInvitation } from '../../back-office/members/invitations.ts';
import { DESK_ROUTES } from '../../back-office/operator/desk/routes.ts';
import { PROGRESS_SHOWN_AFTER_MS } from '../../src/engine/domain/schedule.ts';
import { type SignedIn, signedIn, submit, visit } from '../workers/dashboard/support.ts';
import { SECRET } from '../workers/operator/support.ts';
import {
  ALPHA,
  addEndpoint,
  advance,
  type CaughtMessages,
  call,
  cancelPath,
  chooseMethod,
  consumeAll,
  createExpress,
  createHosted,
  execute,
  fireAlarm,
  intentOf,
  lastEvent,
  MINUTE_MS,
  merchantServer,
  pathOf,
  postRefund,
  runSql,
  simulate,
  startRedirect,
} from '../workers/support.ts';

/**
 * A gateway in which each text that a merchant, customer, member, operator, provider or merchant's
 * server can choose tries to leave its place on a page, and every page that shows them.
 */

/** Text that breaks out of text, attributes, titles, scripts and comments. At most 90 characters. */
export function hostile(name: string): string {
  return `${name}"'--></title></script><script>a()</script><img src=x onerror=a()>`;
}

/** The names of all inputs; each has to be seen on some page. */
export const INPUTS = [
  'in-payment-id',
  'in-item',
  'in-customer',
  'in-description',
  'in-metadata',
  'in-link',
  'in-receipt',
  'in-refund-id',
  'in-reason',
  'in-endpoint',
  'in-answer',
  'in-merchant',
  'in-member',
  'in-passkey',
  'in-key',
  'in-invited',
  'in-note',
] as const;

const PAID = hostile('in-payment-id');
/** Receipts have no spaces. */
const RECEIPT = `in-receipt"><script>a()</script><svg/onload=a()>`;

export interface Page {
  readonly name: string;
  readonly open: () => Promise<Response>;
}

/** Brings payments into each state and stores hostile texts. Returns every page. */
export async function hostileWorld(caught: CaughtMessages): Promise<readonly Page[]> {
  merchantServer(() => new Response(hostile('in-answer'), { status: 500 }));
  await addEndpoint(ALPHA, 'we_alpha', {
    url: `https://shop.example.com/${encodeURI(hostile('in-url'))}`,
    description: hostile('in-endpoint'),
  });
  const owner = await signedIn();
  await nameEverything(owner);
  const customer = await payments(caught);
  const refunded = await postRefund({
    paymentIntentUniqueId: PAID,
    refundUniqueId: hostile('in-refund-id'),
    reason: hostile('in-reason'),
    amountMinor: 100,
  });
  if (!refunded.ok) {
    throw new Error(await refunded.text());
  }
  await consumeAll(caught);
  return [...customer, ...(await dashboardPages(owner)), ...deskPages(), ...publicPages()];
}

async function nameEverything({ memberId }: SignedIn): Promise<void> {
  const invitation = await newInvitation({
    merchantId: ALPHA.id,
    name: hostile('in-invited'),
    role: 'viewer',
    memberId: null,
    invitedBy: { kind: 'member', id: memberId, name: hostile('in-member') },
    nowMs: Date.now(),
  });
  await runSql([
    {
      sql: 'UPDATE merchants SET name = ?2 WHERE id = ?1',
      params: [ALPHA.id, hostile('in-merchant')],
    },
    { sql: 'UPDATE api_keys SET name = ?1', params: [hostile('in-key')] },
  ]);
  const people = [
    { sql: 'UPDATE members SET name = ?1', params: [hostile('in-member')] },
    { sql: 'UPDATE sessions SET user_agent = ?1', params: [hostile('in-agent')] },
    {
      sql: `INSERT INTO passkeys (credential_id, member_id, public_key, counter, transports, name,
          backed_up, created_at_ms) VALUES ('c1', ?1, 'x', 0, '[]', ?2, 0, 1)`,
      params: [memberId, hostile('in-passkey')],
    },
    invitation.statement,
  ];
  await runSql(people, env.BACK_OFFICE_DB);
}

/** One payment in each state that has a page of its own. Returns the customers' pages. */
async function payments(caught: CaughtMessages): Promise<Page[]> {
  const texts = {
    items: [
      {
        name: hostile('in-item'),
        description: hostile('in-item'),
        image: 'https://shop.example.com/"onerror=a()',
        type: 'SERVICE',
        price: 100.5,
        quantity: 1,
      },
    ],
    customerInfo: { name: hostile('in-customer'), email: hostile('in-customer') },
    metadata: { note: hostile('in-metadata') },
    paymentLinkUniqueId: hostile('in-link'),
    returnUrl: 'https://shop.example.com/done?"><script>a()</script>',
  };
  const checkout = async (id: string) => createHosted({ ...texts, paymentIntentUniqueId: id });
  const paid = await checkout(PAID);
  const attempt = await chooseMethod(paid);
  const simulator = `/simulator/${attempt}`;
  await simulate(attempt, 'approve');
  const open = await checkout(hostile('open'));
  const processing = await checkout(hostile('processing'));
  await chooseMethod(processing);
  const canceled = await checkout(hostile('canceled'));
  const resolved = await checkout('order-1');
  await execute(startRedirect('a1', Date.now() + 5 * MINUTE_MS));
  advance(6 * MINUTE_MS);
  await fireAlarm();
  await createExpress({
    paymentIntentUniqueId: 'express-1',
    description: hostile('in-description'),
    ...texts,
  });
  await proofOf('order-1');
  advance(PROGRESS_SHOWN_AFTER_MS);
  await fireAlarm(hostile('processing'));
  await call(cancelPath(hostile('canceled')), { method: 'POST' });
  await consumeAll(caught);
  const urls = { paid, open, processing, canceled, resolved };
  return [
    ...Object.entries(urls).flatMap(([state, url]) =>
      ['en', 'am', 'om', 'ti'].map((language) =>
        visitor(
          `checkout ${state} ${language}`,
          `${pathOf(url)}?lang=${language}&already=${encodeURIComponent(PAID)}`,
        ),
      ),
    ),
    visitor('simulator', simulator),
  ];
}

/** An operator found out that the payment was not paid, and wrote why. */
async function proofOf(uniqueId: string): Promise<void> {
  const { terms, attempts } = await intentOf(uniqueId);
  const [attempt] = attempts;
  const path = `/operator/v1/payments/sandbox/${ALPHA.id}/${terms.uniqueId}/attempts/${attempt?.reference}/resolve`;
  const response = await call(path, {
    method: 'POST',
    apiKey: null,
    headers: { authorization: `Bearer ${SECRET}`, 'x-operator': encodeURIComponent('Abebe <b>') },
    body: { outcome: 'succeeded', receipt: RECEIPT, note: hostile('in-note') },
  });
  if (!response.ok) {
    throw new Error(await response.text());
  }
}

function visitor(name: string, path: string): Page {
  return { name, open: () => call(path, { apiKey: null }) };
}

/** Parameters that pages read, and some that they do not. */
const REFLECTED = new URLSearchParams(
  [
    'done',
    'cursor',
    'list',
    'status',
    'method',
    'since',
    'search',
    'next',
    'token',
    'merchant',
    'lang',
    'link',
    'q',
  ].map((name) => [name, hostile(`reflected-${name}`)]),
);

async function dashboardPages(owner: SignedIn): Promise<Page[]> {
  const key = await env.DB.prepare(
    "SELECT digest FROM api_keys WHERE merchant_id = ? AND environment = 'sandbox'",
  )
    .bind(ALPHA.id)
    .first<string>('digest');
  const event = await lastEvent(PAID);
  const parameters: Readonly<Record<string, string>> = {
    environment: 'sandbox',
    uniqueId: encodeURIComponent(PAID),
    sequence: String(event.sequence),
    endpoint: 'we_alpha',
    key: key ?? '',
    member: owner.memberId,
  };
  const paths = DASHBOARD_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) =>
    path.replaceAll(/:(\w+)/g, (_, name) => parameters[name] ?? name),
  );
  const express = '/dashboard/sandbox/payments/express-1';
  return [
    ...[...paths, express, '/dashboard/sandbox/payments/order-1'].flatMap((path) => [
      { name: path, open: () => visit(owner, path) },
      { name: `${path} in Amharic`, open: () => visit(owner, path, 'am') },
      { name: `${path} reflecting`, open: () => visit(owner, `${path}?${REFLECTED}`) },
    ]),
    {
      name: 'refused endpoint',
      open: () =>
        submit(owner, '/dashboard/sandbox/webhooks/endpoints', {
          url: hostile('typed'),
          description: hostile('typed'),
          signatureHeader: hostile('typed'),
        }),
    },
    {
      name: 'refused key',
      open: () => submit(owner, '/dashboard/sandbox/keys', { name: hostile('typed').repeat(3) }),
    },
    {
      name: 'refused refund',
      open: () =>
        submit(owner, `/dashboard/sandbox/payments/${encodeURIComponent(PAID)}/refund`, {
          amount: hostile('typed'),
          reason: hostile('typed'),
        }),
    },
  ];
}

function deskPages(): Page[] {
  const parameters: Readonly<Record<string, string>> = {
    environment: 'sandbox',
    merchantId: ALPHA.id,
    uniqueId: encodeURIComponent(PAID),
  };
  const headers = { authorization: `Bearer ${SECRET}`, 'x-operator': 'Abebe <b>' };
  return DESK_ROUTES.filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replaceAll(/:(\w+)/g, (_, name) => parameters[name] ?? name))
    .flatMap((path) =>
      [path, `${path}?${REFLECTED}`, path.replace(encodeURIComponent(PAID), 'order-1')].map(
        (address) => ({
          name: address,
          open: () => call(address, { apiKey: null, headers }),
        }),
      ),
    );
}

function publicPages(): Page[] {
  const wrong = encodeURIComponent(hostile('path'));
  return [
    ...['/', '/dashboard/sign-in', '/dashboard/join'].flatMap((path) => [
      path,
      `${path}?${REFLECTED}`,
    ]),
    `/checkout/${wrong}`,
    `/dashboard/${wrong}`,
    `/operator/${wrong}`,
    `/simulator/${wrong}`,
    `/${wrong}`,
  ].map((path) => visitor(path, path));
}
