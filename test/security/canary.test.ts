import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, expect, test, vi } from 'vitest';
import { alertsOf } from '../../src/control/alerts/ask.ts';
import { CREATION_SHOWN_WITHIN_MS } from '../../src/engine/domain/schedule.ts';
import { ENVIRONMENTS } from '../../src/kit/tenant.ts';
import { type Browser, joined } from '../workers/dashboard/people-support.ts';
import { found, submit } from '../workers/dashboard/support.ts';
import { OLDER_SECRET, operateApi, PERSONAL_SECRETS, SECRET } from '../workers/operator/support.ts';
import {
  cbe,
  decideAtRails,
  playRails,
  SCENE_SECRETS,
  SCENES,
  type Scene,
  TELEBIRR,
  TELEBIRR_USSD,
} from '../workers/rails/scenes.ts';
import { CARDS, configureRails, EBIRR, MPESA, NBG } from '../workers/rails/support.ts';
import { bookRows, bookSql } from '../workers/support/book.ts';
import {
  ALPHA,
  advance,
  type Body,
  booksAreFed,
  call,
  chooseMethod,
  consume,
  createExpress,
  createHosted,
  fireAlarm,
  logged,
  pathOf,
  postForm,
  postHosted,
  postRefund,
  simulate,
  tenantOf,
  useGateway,
} from '../workers/support.ts';
import { databaseRows } from './storage.ts';

/**
 * Goal: docs/promises.md#10 for a whole run of the gateway: no secret, phone number, name or body
 * is in a log, in D1, in a queue message or in a URL (docs/reliability.md#canary). Method:
 * recognizable values in every input and secret; payments, callbacks, webhooks, a dashboard, an
 * operator; then a search through everything that was written.
 */

configureRails(SCENE_SECRETS);
const caught = useGateway();

const PHONE = '911987654';
/** What customers and merchants entrust to the gateway, in forms that occur nowhere else. */
const PERSONAL = {
  phone: PHONE,
  name: 'Canaria Kanarek',
  email: 'canaria@kanarek.example',
  item: 'canary-item-name',
  itemDescription: 'canary-item-description',
  description: 'canary-payment-description',
  metadata: 'canary-metadata-value',
  query: 'canary-url-secret',
  answer: 'canary-answer-of-the-merchant',
  reason: 'canary-refund-reason',
  typed: 'canary-typed-phone',
} as const;

/** Where the operator is told, which fails in this run: errors could quote it. */
const ALERTS = {
  ALERT_TELEGRAM: '123456789:Canary-token-of-the-bot-0123456789 -1001234567890',
  ALERT_WEBHOOK: `https://pager.example.com/canary-pager ${ALPHA.webhookSecret}`,
  ALERT_HEARTBEAT_URL: 'https://monitor.example.com/canary-heartbeat',
};
Object.assign(env, ALERTS);
afterAll(() => {
  for (const name of Object.keys(ALERTS)) {
    Reflect.deleteProperty(env, name);
  }
});
const ALERT_HOSTS = /^https:\/\/(?:api\.telegram\.org|(?:pager|monitor)\.example\.com)\//;

/** Settings that only the gateway or one provider may know. */
const SECRETS = [
  'Canary-token-of-the-bot-0123456789',
  'canary-pager',
  'canary-heartbeat',
  ...Object.values(ALPHA.apiKeys),
  ALPHA.webhookSecret,
  SECRET,
  OLDER_SECRET,
  ...Object.values(PERSONAL_SECRETS),
  EBIRR.apiKey,
  MPESA.consumerSecret,
  MPESA.passkey,
  CARDS.password,
  NBG.password,
  TELEBIRR.appSecret,
  TELEBIRR.merchantPrivateKey,
  TELEBIRR_USSD.password,
  TELEBIRR_USSD.securityCredential,
  TELEBIRR_USSD.resultToken,
  cbe('production').secret,
  cbe('production').password,
  ...[env.LINK_SIGNING_KEYS, env.DATA_ENCRYPTION_KEYS, env.BACKUP_KEYS, env.BACK_OFFICE_KEYS].map(
    (ring) => String(ring).split(':')[1] ?? '',
  ),
  String(env.WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX).slice(3, 80),
];

const TEXTS: Body = {
  customerInfo: { name: PERSONAL.name, email: PERSONAL.email, phone: PHONE },
  items: [
    {
      name: PERSONAL.item,
      description: PERSONAL.itemDescription,
      type: 'SERVICE',
      price: 100.5,
      quantity: 1,
    },
  ],
  metadata: { note: PERSONAL.metadata },
  returnUrl: `https://shop.example.com/done?t=${PERSONAL.query}`,
};

/** Delivers what waits, keeping a copy of each message. */
async function work(messages: unknown[]): Promise<void> {
  for (let rounds = 0; rounds < 4; rounds += 1) {
    for (const [queue, waiting] of [
      ['kefel-webhooks', caught.webhooks],
      ['kefel-webhook-retries', caught.retries],
      ['kefel-provider-reports', caught.reports],
    ] as const) {
      const bodies = waiting.splice(0);
      messages.push(...bodies);
      await consume(queue, bodies);
    }
    messages.push(...(await booksAreFed(caught)));
  }
}

interface Run {
  readonly messages: unknown[];
  /** Every URL that the gateway called, redirected to, or put on a page. */
  readonly urls: string[];
  /** What operators read of the alerts. */
  readonly answers: string[];
  /** What its reader could use: links, sessions, one-time tokens. */
  readonly bearers: string[];
}

async function wholeRun(scene: Scene): Promise<Run> {
  const run: Run = { messages: [], urls: [], answers: [], bearers: [] };
  const calls = playRails();
  const providers = vi.mocked(fetch).getMockImplementation();
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return isOfMerchant(url) || ALERT_HOSTS.test(url)
      ? new Response(PERSONAL.answer, { status: 500 })
      : (providers?.(input, init) ?? new Response());
  });
  await sandboxPayments(run);
  await scene.begin();
  decideAtRails('paid');
  await scene.report('paid');
  await work(run.messages);
  await dashboardWork(await joined(), run);
  await wrongRequests();
  run.answers.push(...(await failingAlerts()));
  await work(run.messages);
  run.urls.push(...calls.map(({ url }) => url));
  return run;
}

async function sandboxPayments({ urls, bearers, messages }: Run): Promise<void> {
  const checkout = await createHosted({
    ...TEXTS,
    paymentIntentUniqueId: 'canary-1',
    callbackUrl: `https://shop.example.com/hook?t=${PERSONAL.query}`,
  });
  bearers.push(checkout.split('/').at(-1) ?? '');
  const refused = await postForm(`${pathOf(checkout)}/attempts`, {
    method: 'TELE_BIRR_USSD',
    phone: PERSONAL.typed,
    attempts: '0',
  });
  // The page's own address is the customer's link.
  urls.push((refused.headers.get('location') ?? '').replace(pathOf(checkout), '/checkout'));
  const attempt = await chooseMethod(checkout);
  bearers.push(attempt);
  await simulate(attempt, 'approve');
  await work(messages);
  await postRefund({
    paymentIntentUniqueId: 'canary-1',
    amountMinor: 100,
    reason: PERSONAL.reason,
  });
  await createExpress({
    ...TEXTS,
    paymentIntentUniqueId: 'canary-2',
    description: PERSONAL.description,
    phoneNumber: `251${PHONE}`,
  });
  advance(CREATION_SHOWN_WITHIN_MS);
  await fireAlarm('canary-2');
  await work(messages);
}

/** The merchant's server, or a provider's. */
function isOfMerchant(url: string): boolean {
  return url.startsWith('https://shop.example.com/');
}

async function dashboardWork(browser: Browser, { urls, bearers }: Run): Promise<void> {
  const member = await browser.member();
  bearers.push(member.cookie.split('=')[1] ?? '');
  const payments = '/dashboard/sandbox/payments';
  for (const search of [PHONE, PERSONAL.email, PERSONAL.name]) {
    const sought = await submit(member, payments, { search });
    urls.push(sought.headers.get('location') ?? '');
    const page = await (await found(member, payments, search)).text();
    expect([search, page.includes('canary-1')]).toEqual([search, true]);
    urls.push(...linksIn(page));
  }
  for (const path of [
    `${payments}/canary-1`,
    payments,
    '/dashboard/sandbox/webhooks',
    `${payments}.csv`,
  ]) {
    const page = await browser.get(path);
    urls.push(...linksIn(await page.text()));
  }
  const { text } = await operateApi(`/merchants/${ALPHA.id}/invitations`, {
    name: 'Abebe',
    role: 'viewer',
  });
  bearers.push(/token=([^"]+)"/.exec(text)?.[1] ?? 'no token');
  const created = await submit(member, '/dashboard/sandbox/keys', {
    name: 'x',
    form: 'A'.repeat(22),
  });
  bearers.push(/kfl_test_\w{20,}/.exec(await created.text())?.[0] ?? 'no key');
  const secret = await submit(member, '/dashboard/sandbox/webhooks/secrets', {
    overlapHours: '24',
  });
  bearers.push(/whsec_[\w+/=]{20,}/.exec(await secret.text())?.[0] ?? 'no secret');
}

function linksIn(html: string): string[] {
  return [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, url]) => url ?? '');
}

/** The answers to the operator, and what the object of the alerts has stored. */
async function failingAlerts(): Promise<readonly string[]> {
  const letters = {
    subject: 'dead_letters',
    count: 1,
    sinceAtMs: Date.now(),
    detail: null,
  } as const;
  await alertsOf(env).stand('dead_letters', [letters]);
  await alertsOf(env).look();
  await vi.waitFor(() => {
    const tried = logged.join('\n').matchAll(/"event":"alert_not_delivered","channel":"(\w+)"/g);
    expect(new Set([...tried].map(([, channel]) => channel)).size).toBe(2);
  });
  const answers = [];
  for (const channel of ['telegram', 'webhook']) {
    answers.push(await operateApi(`/alerts/${channel}/test`, {}));
  }
  answers.push(await operateApi('/alerts'));
  const stub = env.OPERATOR_ALERTS.get(env.OPERATOR_ALERTS.idFromName('gateway'));
  const stored = await runInDurableObject(stub, (_instance, { storage: { sql } }) =>
    ['channel', 'outbox', 'memory'].flatMap((table) =>
      sql.exec(`SELECT * FROM ${table}`).toArray(),
    ),
  );
  return [...answers.map(({ text }) => text), ...stored.map((row) => JSON.stringify(row))];
}

/** Requests that are refused, whose texts an error could repeat. */
async function wrongRequests(): Promise<void> {
  for (const changes of [
    { ...TEXTS, amount: -1 },
    { ...TEXTS, currency: PHONE },
  ]) {
    await postHosted({ ...changes, paymentIntentUniqueId: 'canary-9' });
  }
  await call(`/api/v1/payment/sandbox/intents?customerEmail=${PERSONAL.email}`);
  await call('/rails/ebirr/x', { method: 'POST', apiKey: null, body: TEXTS });
  await call('/rails/cbe-birr', { method: 'POST', apiKey: null, body: TEXTS });
  await operateApi('/health', undefined, { authorization: `Bearer ${SECRET.slice(0, -1)}x` });
  // A failure of ours, with the request in its hands.
  vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementationOnce(() => {
    throw new Error('the book is away');
  });
  await call('/api/v1/payment/sandbox/intents');
}

test.each(SCENES)(
  'ASVS 5.0 V14.2, V16.2.5 $railId: nothing confidential is logged, queued, stored in D1 or in a URL',
  async (scene) => {
    const run = await wholeRun(scene);
    const phones = [PHONE, '911223344', '711223344'];
    const texts = [...SECRETS, ...run.bearers, ...Object.values(PERSONAL), ...phones];
    expect(texts.filter((text) => text.length < 9)).toEqual([]);
    const written: Readonly<Record<string, readonly string[]>> = {
      logs: logged,
      'queue messages': run.messages.map((message) => JSON.stringify(message)),
      alerts: run.answers,
      // A tap on `tel:` asks the phone alone, and no server.
      URLs: run.urls.filter((url) => !isOfMerchant(url) && !url.startsWith('tel:')),
      ...(await databaseRows()),
      ...(await storedInBooks()),
    };
    const leaks = Object.entries(written).flatMap(([place, lines]) =>
      lines.flatMap((line) =>
        texts
          .filter((text) => occursIn(text, line))
          .map((text) => `${place}: ${text} in ${line.slice(0, 200)}`),
      ),
    );
    expect(leaks).toEqual([]);
    // The search had something to search.
    expect(run.bearers.filter((text) => text.startsWith('no '))).toEqual([]);
    for (const [place, least] of [
      ['logs', 5],
      ['queue messages', 8],
      ['alerts', 5],
      ['URLs', 50],
      ['payment', 3],
      ['audit_log', 3],
    ] as const) {
      expect([place, (written[place]?.length ?? 0) >= least]).toEqual([place, true]);
    }
  },
);

/** The rows of Alpha's books, by table. */
async function storedInBooks(): Promise<Record<string, readonly string[]>> {
  const books: Awaited<ReturnType<typeof bookRows>>[] = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const tenant = tenantOf(ALPHA, environment);
      const isUsed = await bookSql("SELECT 1 FROM sqlite_master WHERE name = 'payment'", tenant);
      return isUsed.length === 0 ? {} : bookRows(tenant);
    }),
  );
  const tables = new Set(books.flatMap((book) => Object.keys(book)));
  return Object.fromEntries(
    [...tables].map((table) => [
      table,
      books.flatMap((book) => (book[table] ?? []).map((row) => JSON.stringify(row))),
    ]),
  );
}

/** As itself, percent-encoded or in base64. */
function occursIn(text: string, line: string): boolean {
  const base64 = btoa(text).replace(/.{2}=*$/, '');
  return [text, encodeURIComponent(text), base64].some((form) => line.includes(form));
}
