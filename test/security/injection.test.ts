import { expect, test } from 'vitest';
import { signedIn, visit } from '../workers/dashboard/support.ts';
import { operate, SECRET } from '../workers/operator/support.ts';
import {
  type Arrival,
  answerOf,
  type Body,
  call,
  chooseMethod,
  consumeAll,
  createHosted,
  logged,
  merchantServer,
  pathOf,
  payHosted,
  postHosted,
  postRefund,
  simulate,
  statusPath,
  useGateway,
} from '../workers/support.ts';

/**
 * Goal: no text of a caller becomes a header, a line of the log or a formula in a spreadsheet
 * (docs/reliability.md#injection). Method: such texts in every field that reaches one of them.
 */

const caught = useGateway();

const HEADER = 'x-injected';
const BREAKS = ['\r\n', '\n', '\r', '\u2028', '\u0085', '%0d%0a', '\\r\\n'];
const TEXTS = BREAKS.map((lineEnd) => `a${lineEnd}${HEADER}: 1${lineEnd}{"event":"forged"}`);

const FIELDS: readonly (readonly [string, (text: string) => Body])[] = [
  ['paymentIntentUniqueId', (text) => ({ paymentIntentUniqueId: text })],
  ['paymentLinkUniqueId', (text) => ({ paymentLinkUniqueId: text })],
  ['returnUrl', (text) => ({ returnUrl: `https://shop.example.com/${text}` })],
  ['callbackUrl', (text) => ({ callbackUrl: `https://shop.example.com/${text}` })],
  ['customerInfo', (text) => ({ customerInfo: { name: text, email: text } })],
  ['metadata', (text) => ({ metadata: { note: text } })],
];

/** Every line of the log is one JSON object of an event that the code names. */
function expectCleanLog(): void {
  for (const line of logged) {
    expect(line).not.toMatch(/[\r\n\u2028\u2029\u0085]/);
    expect(JSON.parse(line).event).not.toBe('forged');
  }
}

test.each(FIELDS)(
  'ASVS 5.0 V1.2.1, V16.4.1 %s: no line break reaches a header or the log',
  async (...row) => {
    const [, changesOf] = row;
    const answers: Headers[] = [];
    const arrivals: Arrival[] = merchantServer(() => new Response('no', { status: 500 }));
    for (const [index, text] of TEXTS.entries()) {
      const changes = { paymentIntentUniqueId: `order-${index}`, ...changesOf(text) };
      const created = await answerOf(postHosted(changes));
      answers.push(created.headers);
      if (created.status === 200) {
        const page = pathOf(String(created.envelope.content));
        answers.push((await call(page, { apiKey: null })).headers);
        const left = await simulate(await chooseMethod(page), 'approve');
        expect(left).not.toMatch(/[\r\n]/);
        answers.push((await call(`${page}/returned`, { apiKey: null })).headers);
        answers.push((await call(statusPath(String(changes.paymentIntentUniqueId)))).headers);
        await consumeAll(caught);
      } else {
        expect(created.status).toBe(400);
      }
    }
    const names = [...answers, ...arrivals.map(({ headers }) => headers)].flatMap((headers) => [
      ...headers.keys(),
    ]);
    expect(names).not.toContain(HEADER);
    expectCleanLog();
  },
);

test('ASVS 5.0 V1.2.1 the name of an endpoint’s extra header is a name and nothing more', async () => {
  const names = [
    'x-a\r\nx-injected',
    'x-a: 1',
    'x a',
    'x-a\u0000',
    'x-ä',
    'host',
    'Content-Length',
    'cookie',
    'transfer-encoding',
    '',
  ];
  for (const signatureHeader of names) {
    const body = { url: 'https://shop.example.com/', signatureHeader };
    const { status } = await answerOf(
      call('/api/v1/payment/sandbox/webhook-endpoints', { method: 'POST', body }),
    );
    expect([signatureHeader, status]).toEqual([signatureHeader, 400]);
  }
});

test('ASVS 5.0 V16.4.1 paths, names of operators and refusals write no line of their own', async () => {
  await createHosted();
  for (const text of TEXTS) {
    const encoded = encodeURIComponent(text);
    const authorization = `Bearer ${SECRET}`;
    await call(`/api/v1/payment/sandbox/intent/${encoded}`);
    await call(`/checkout/${encoded}`, { apiKey: null });
    await call(`/rails/${encoded}/x`, { method: 'POST', apiKey: null, body: text });
    await call(`/rails/cbe-birr`, { method: 'POST', apiKey: null, body: { EncVal: text } });
    await postRefund({ paymentIntentUniqueId: text, reason: text });
    const named = await operate(
      '/operator/v1/merchants/mer_alpha/suspend',
      { reason: text },
      {
        authorization,
        headers: { 'x-operator': encoded },
      },
    );
    expect(named.status).toBe(/[\r\n\u2028\u0085]/.test(text) ? 400 : named.status);
  }
  expectCleanLog();
});

const FORMULAS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\u0000=1',
  '＝1',
  ' =1',
  '"=1',
  "=cmd|' /C calc'!A0",
  '=1,"=2"\r\n=3',
];

test('ASVS 5.0 V1.2.10 no cell of the file of payments begins like a formula', async () => {
  let stored = 0;
  for (const [index, text] of FORMULAS.entries()) {
    for (const changes of [
      { paymentIntentUniqueId: text },
      { paymentIntentUniqueId: `o${index}`, customerInfo: { name: text, email: text } },
      { paymentIntentUniqueId: `m${index}`, metadata: { note: text } },
    ]) {
      const { status } = await answerOf(postHosted(changes));
      stored += status === 200 ? 1 : 0;
    }
  }
  await payHosted({ paymentIntentUniqueId: 'last' });
  await consumeAll(caught);
  const response = await visit(await signedIn(), '/dashboard/sandbox/payments.csv?phones=full');
  expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
  const cells = cellsOf((await response.text()).replace('\ufeff', ''));
  expect(cells.length).toBe(stored + 2);
  expect(new Set(cells.map((row) => row.length)).size).toBe(1);
  expect(
    cells.flat().filter((cell) => /^[=+\-@\p{Cc}\uff1d\uff0b\uff0d\uff20]/u.test(cell)),
  ).toEqual([]);
});

/** RFC 4180. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g,
  )) {
    if (rows.length === 0) {
      rows.push([]);
    }
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') {
      rows.push([]);
    }
  }
  return rows.filter((row) => row.join('') !== '');
}
