import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { h } from 'preact';
import { renderSVG } from 'uqr';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { checkoutPage } from '../../src/engine/checkout/checkout-page.tsx';
import { claimPage } from '../../src/engine/checkout/claim.ts';
import {
  badFormPage,
  busyPage,
  lostPage,
  receiptOverPage,
  unavailablePage,
  unknownPage,
} from '../../src/engine/checkout/notices.ts';
import { pageResponse } from '../../src/engine/checkout/page-response.ts';
import { SimulatorPage } from '../../src/engine/checkout/pages/simulator.tsx';
import type { ViewContext } from '../../src/engine/checkout/view.ts';
import type { MethodLogos, Support } from '../../src/engine/config.ts';
import type { Attempt, FailureReason } from '../../src/engine/domain/attempt.ts';
import type { Command } from '../../src/engine/domain/command.ts';
import { decide } from '../../src/engine/domain/decide.ts';
import type { Intent } from '../../src/engine/domain/intent.ts';
import type { Business } from '../../src/engine/domain/merchant.ts';
import type { RefundOutcome } from '../../src/engine/domain/refund.ts';
import type { IntentTerms } from '../../src/engine/domain/terms.ts';
import type { FormProblem } from '../../src/engine/i18n/messages.ts';
import { attemptWith, intentWith, itemWith, termsWith } from './checkout-fixtures.ts';
import { requestRefund, resolveRefund } from './intents.ts';
import { LINK_GALLERY } from './link-gallery.ts';

/**
 * Every state of every page, made by the production functions, with HTML and headers. States that
 * need a provider's failure or an hour of waiting are available at once.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

type Answer = (request: Request, path: string) => Promise<Response>;

/** The pages of a gallery, by the names of their states. */
export type Gallery = Readonly<Record<string, Answer>>;

/** A payment at the moment of a view. */
function payment(
  build: (nowMs: number) => { readonly intent: Intent; readonly context?: ViewContext },
  methodLogos: MethodLogos = {},
  support: Support = { contact: null, status: null },
): Answer {
  return async (request, path) => {
    const { intent, context = {} } = build(Date.now());
    const receiptPath = intent.status === 'succeeded' ? path : null;
    return checkoutPage(request, { methodLogos, support }, intent, path, context, receiptPath);
  };
}

function terms(nowMs: number, changed: Partial<IntentTerms> = {}): Partial<IntentTerms> {
  return { createdAtMs: nowMs - MINUTE_MS, expiresAtMs: nowMs + 15 * MINUTE_MS, ...changed };
}

/** A payment created a moment ago, and still open. */
function attemptAt(nowMs: number, changed: Partial<Attempt>): Attempt {
  return attemptWith({
    queriedAtMs: null,
    startedAtMs: nowMs - SECOND_MS,
    updatedAtMs: nowMs - SECOND_MS,
    deadlineAtMs: nowMs + 2 * MINUTE_MS,
    windowIsFinal: false,
    ...changed,
  });
}

function inFlight(
  nowMs: number,
  attempt: Partial<Attempt>,
  changed: Partial<IntentTerms> = {},
): { readonly intent: Intent } {
  const attempts = [attemptAt(nowMs, attempt)];
  return { intent: intentWith(terms(nowMs, changed), { status: 'processing', attempts }) };
}

function refused(problem: FormProblem, phone: string): Answer {
  return payment((nowMs) => ({
    intent: intentWith(terms(nowMs)),
    context: {
      refusedForm: { method: problem === 'method_missing' ? null : 'M_PESA', phone, problem },
    },
  }));
}

const SWITCH_TEXT = 'CBE says that it will work again tomorrow at 8:00.';

const PUSHED: Partial<Attempt> = {
  method: 'M_PESA',
  flow: 'push',
  phone: '251911234567',
  redirectUrl: null,
};

const UNRESOLVED: Partial<Attempt> = { ...PUSHED, status: 'unresolved' };

const CLAIMED = ['SFQ2B7NP3K'];

/** Where a customer types the number of the provider's message. */
function claim(attempt: Partial<Attempt>, parameter: string | null = null): Answer {
  return (request, path) => {
    const url = new URL(request.url);
    if (parameter !== null) {
      url.searchParams.set(parameter, '1');
    }
    const { intent } = inFlight(Date.now(), attempt);
    return claimPage(new Request(url, request), intent, path);
  };
}

function failedBefore(
  reason: FailureReason,
  count = 1,
  attempt: Partial<Attempt> = { method: 'CBE' },
): Answer {
  return payment((nowMs) => {
    const failed = attemptAt(nowMs, { status: 'failed', failureReason: reason, ...attempt });
    return { intent: intentWith(terms(nowMs), { attempts: Array(count).fill(failed) }) };
  });
}

function paidIntent(
  nowMs: number,
  agoMs: number,
  changed: Partial<IntentTerms> = {},
  attempt: Partial<Attempt> = {},
): Intent {
  const paid = attemptAt(nowMs, {
    isProved: true,
    ...attempt,
    status: 'succeeded',
    updatedAtMs: nowMs - agoMs,
  });
  return intentWith(terms(nowMs, changed), {
    status: 'succeeded',
    attempts: [paid],
    paidAttemptId: paid.id,
  });
}

function paid(changed: Partial<IntentTerms> = {}, support?: Support): Answer {
  return payment((nowMs) => ({ intent: paidIntent(nowMs, SECOND_MS, changed) }), {}, support);
}

const SUPPORT: Support = {
  contact: {
    href: 'mailto:customers@payments.example.com',
    text: 'customers@payments.example.com',
  },
  status: { href: 'https://status.example.com/', text: 'status.example.com' },
};

/** A payment of an hour ago, as its receipt's own link shows it. */
function receipt(
  refunds: (nowMs: number) => readonly Command[] = () => [],
  changed: Partial<IntentTerms> = {},
  attempt: Partial<Attempt> = {},
): Answer {
  return payment(
    (nowMs) => {
      const intent = paidIntent(nowMs, 60 * MINUTE_MS, changed, attempt);
      return { intent: decide(intent, refunds(nowMs), nowMs).intent, context: { isReceipt: true } };
    },
    {},
    SUPPORT,
  );
}

/** A refund of the paid attempt. Null: of all that is left, or still without an outcome. */
function refund(amountMinor: number | null, outcome: RefundOutcome | null) {
  const asked = requestRefund('r1', { attemptId: attemptWith().id, amountMinor });
  return (nowMs: number): readonly Command[] => {
    const deadlineAtMs = nowMs + MINUTE_MS;
    const claim = { type: 'claim_refund', refundId: 'r1', claimId: 'c1', deadlineAtMs } as const;
    return outcome === null ? [asked] : [asked, claim, resolveRefund('r1', outcome)];
  };
}

/** The provider's and the wallet's own. */
const RECEIPTS: Partial<Attempt> = { receipt: 'SFQ2B7NP3K', issuerReceipt: '0042993418' };

const RETURNED: RefundOutcome = { type: 'succeeded', railReference: null };

const BUSINESS: Business = {
  legalName: 'Tomoca Coffee Trading Private Limited Company',
  tin: '0012345678',
  vatNumber: '11868470010',
  address: 'Wavel Street 12, Piassa, Addis Ababa',
  contact: '+251 11 111 2498',
};

function simulator(attempt: Partial<Attempt> = {}): Answer {
  return async (request, path) => {
    const nowMs = Date.now();
    const page = h(SimulatorPage, {
      terms: termsWith(terms(nowMs)),
      attempt: attemptAt(nowMs, { deadlineAtMs: nowMs + 15 * MINUTE_MS, ...attempt }),
      path,
      remainingMs: 15 * MINUTE_MS,
      action: `${path}/outcome`,
      checkoutUrl: '/paid',
    });
    return pageResponse(request, page);
  };
}

const LONG_NAME = 'Addis Ababa Coffee Roasters and Exporters Private Limited Company';

export const GALLERY = {
  choose: payment((nowMs) => ({ intent: intentWith(terms(nowMs)) })),
  'choose-commission': payment((nowMs) => ({
    intent: intentWith(terms(nowMs, { commissionPaidByCustomer: true })),
  })),
  'choose-commission-some': payment((nowMs) => ({
    intent: intentWith(
      terms(nowMs, {
        commissionPaidByCustomer: true,
        methods: termsWith().methods.map(({ method }) => ({
          method,
          commissionMinor: method === 'CBE' ? 0 : 3_750,
        })),
      }),
    ),
  })),
  'choose-commission-equal': payment((nowMs) => ({
    intent: intentWith(
      terms(nowMs, {
        commissionPaidByCustomer: true,
        methods: [
          { method: 'M_PESA', commissionMinor: 1_500 },
          { method: 'E_BIRR', commissionMinor: 1_500 },
        ],
      }),
    ),
  })),
  'choose-usd': payment((nowMs) => ({
    intent: intentWith(terms(nowMs, { currency: 'USD', items: [] })),
  })),
  'choose-phone-fixed': payment((nowMs) => ({
    intent: intentWith(
      terms(nowMs, {
        methods: [{ method: 'M_PESA', commissionMinor: 0 }],
        customer: { name: null, email: null, phone: '911234567', isPhoneUpdatable: false },
      }),
    ),
  })),
  'choose-long-texts': payment((nowMs) => ({
    intent: intentWith(
      terms(nowMs, {
        merchantName: LONG_NAME,
        description: 'Invoice 2026/118 '.repeat(12).trim(),
        amountMinor: 99_999_999_999,
        items: [
          itemWith({
            name: 'W'.repeat(120),
            description: 'የይርጋጨፌ ቡና፣ በእጅ የተለቀመ '.repeat(6).trim(),
            quantity: 3,
            priceMinor: 33_333_333_333,
          }),
        ],
        branding: { color: '#f5e642', logoDigest: null },
      }),
    ),
  })),
  'choose-branded': payment((nowMs) => ({
    intent: intentWith(
      terms(nowMs, { branding: { color: '#7a3b12', logoDigest: 'a'.repeat(64) } }),
    ),
  })),
  'choose-nowhere-to-return': payment((nowMs) => ({
    intent: intentWith(terms(nowMs, { returnUrl: null })),
  })),
  'choose-production': payment((nowMs) => ({
    intent: intentWith(terms(nowMs, { environment: 'production' })),
  })),
  'refused-method': refused('method_missing', ''),
  'refused-phone-missing': refused('phone_missing', ''),
  'refused-phone-invalid': refused('phone_invalid', '12345'),
  'refused-phone-not-taken': refused('phone_not_taken', '0911223344'),
  'refused-too-many-prompts': refused('too_many_prompts', '0712345678'),
  'refused-unavailable': refused('method_unavailable', '0712345678'),
  'form-failed': payment((nowMs) => ({
    intent: intentWith(terms(nowMs)),
    context: { hasFailed: true },
  })),
  'choose-logos': payment((nowMs) => ({ intent: intentWith(terms(nowMs)) }), {
    TELE_BIRR: '/logos/telebirr.svg',
    M_PESA: '/logos/m-pesa.svg',
  }),
  'failed-declined': failedBefore('declined'),
  'failed-prompt': failedBefore('canceled_by_customer', 1, PUSHED),
  'failed-timed-out': failedBefore('timed_out'),
  'failed-unavailable': failedBefore('rail_unavailable'),
  'failed-last-try': failedBefore('declined', 9),
  'choose-down': payment((nowMs) => ({
    intent: intentWith(terms(nowMs)),
    context: {
      down: ['TELE_BIRR', 'M_PESA'],
      switchedOff: [{ environment: 'production', method: 'CBE', text: SWITCH_TEXT }],
    },
  })),
  'failed-down': payment((nowMs) => {
    const failure = { status: 'failed', failureReason: 'rail_unavailable' } as const;
    const failed = attemptAt(nowMs, { ...PUSHED, ...failure, neverReached: true });
    const intent = intentWith(terms(nowMs), { attempts: [failed, failed] });
    return { intent, context: { down: ['M_PESA'] } };
  }),
  'choose-left': payment((nowMs) => {
    const left = attemptAt(nowMs, { status: 'unresolved', failureReason: 'abandoned' });
    return { intent: intentWith(terms(nowMs), { attempts: [left] }) };
  }),
  'choose-phone-of-no-use': payment((nowMs) => ({
    intent: intentWith(
      terms(nowMs, {
        environment: 'production',
        methods: [{ method: 'M_PESA', commissionMinor: 0 }],
        customer: { name: null, email: null, phone: '911234567', isPhoneUpdatable: true },
      }),
    ),
  })),
  connecting: payment((nowMs) => inFlight(nowMs, { redirectUrl: null })),
  'in-app': payment((nowMs) =>
    inFlight(
      nowMs,
      { method: 'TELE_BIRR', redirectUrl: null },
      { kind: 'express', appForm: 'IN_APP' },
    ),
  ),
  redirect: payment((nowMs) => inFlight(nowMs, {})),
  'redirect-express': payment((nowMs) => inFlight(nowMs, {}, { kind: 'express' })),
  'redirect-unresolved': payment((nowMs) => inFlight(nowMs, { status: 'unresolved' })),
  push: payment((nowMs) => inFlight(nowMs, PUSHED)),
  'push-sandbox': payment((nowMs) =>
    inFlight(nowMs, { ...PUSHED, redirectUrl: 'https://pay.example.com/simulator/t1.abc' }),
  ),
  'push-without-phone': payment((nowMs) => inFlight(nowMs, { ...PUSHED, phone: null })),
  'push-held': payment((nowMs) =>
    inFlight(
      nowMs,
      { ...PUSHED, deadlineAtMs: nowMs + 3 * MINUTE_MS },
      { expiresAtMs: nowMs + MINUTE_MS },
    ),
  ),
  'push-time-over': payment((nowMs) =>
    inFlight(
      nowMs,
      { ...PUSHED, deadlineAtMs: nowMs + 3 * MINUTE_MS },
      { expiresAtMs: nowMs - SECOND_MS },
    ),
  ),
  'push-unresolved': payment((nowMs) => inFlight(nowMs, { ...PUSHED, status: 'unresolved' })),
  'push-claimed': payment((nowMs) => inFlight(nowMs, { ...UNRESOLVED, claimedReceipts: CLAIMED })),
  claim: claim(UNRESOLVED),
  'claim-wrong': claim(UNRESOLVED, 'wrong'),
  'claim-full': claim({ ...UNRESOLVED, claimedReceipts: ['SFQ2B7NP3K', '0042993418', 'FT26333'] }),
  paid: payment((nowMs) => ({ intent: paidIntent(nowMs, SECOND_MS, {}, RECEIPTS) })),
  'paid-commission': paid({ commissionPaidByCustomer: true }, SUPPORT),
  'paid-already': payment((nowMs) => ({
    intent: paidIntent(nowMs, MINUTE_MS),
    context: { triedAgain: true },
  })),
  receipt: receipt(undefined, { business: BUSINESS }, { ...PUSHED, ...RECEIPTS }),
  'receipt-partly-refunded': receipt(refund(50_000, RETURNED), { commissionPaidByCustomer: true }),
  'receipt-refund-underway': receipt(refund(50_000, null)),
  'receipt-refund-failed': receipt(refund(50_000, { type: 'failed', reason: 'declined' })),
  'receipt-refunded': receipt(refund(null, RETURNED), { business: BUSINESS }),
  'receipt-paid-twice': payment((nowMs) => {
    const intent = paidIntent(nowMs, MINUTE_MS);
    const again = attemptAt(nowMs, { id: 'again', method: 'CBE', status: 'succeeded' });
    return { intent: { ...intent, attempts: [...intent.attempts, again] } };
  }),
  'receipt-long-texts': receipt(undefined, {
    merchantName: LONG_NAME,
    amountMinor: 99_999_999_999,
    business: { ...BUSINESS, legalName: 'W'.repeat(200), address: 'የቡና ገበያ '.repeat(30) },
  }),
  'receipt-over': (request) => receiptOverPage(request),
  'paid-production': paid({ environment: 'production' }),
  failed: payment((nowMs) => ({
    intent: intentWith(terms(nowMs), { status: 'failed', failureReason: 'declined' }),
  })),
  'failed-given-up': payment((nowMs) => ({
    intent: intentWith(terms(nowMs), {
      status: 'failed',
      failureReason: 'abandoned',
      attempts: [attemptAt(nowMs, { status: 'unresolved' })],
    }),
  })),
  expired: payment((nowMs) => ({
    intent: intentWith(terms(nowMs, { expiresAtMs: nowMs - SECOND_MS }), { status: 'expired' }),
  })),
  'expired-unresolved': payment((nowMs) => ({
    intent: intentWith(terms(nowMs, { expiresAtMs: nowMs - SECOND_MS }), {
      status: 'expired',
      attempts: [attemptAt(nowMs, { ...PUSHED, status: 'unresolved' })],
    }),
  })),
  canceled: payment((nowMs) => ({ intent: intentWith(terms(nowMs), { status: 'canceled' }) })),
  ...LINK_GALLERY,
  simulator: simulator(),
  'simulator-settled': simulator({ status: 'succeeded' }),
  unknown: (request) => unknownPage(request),
  lost: (request) => lostPage(request, new URL(request.url).origin),
  'bad-form': (request, path) => badFormPage(request, path),
  busy: (request) => busyPage(request),
  error: (request) => unavailablePage(request),
} as const satisfies Record<string, Answer>;

export type GalleryState = keyof typeof GALLERY;

export const GALLERY_STATES = Object.keys(GALLERY) as GalleryState[];

/** Stands for a merchant's logo: any image works. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="#7a3b12"/><circle cx="24" cy="24" r="12" fill="#fff"/></svg>';

export interface GalleryServer {
  /** The address; `/${state}` below it shows that state. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** A gallery behind HTTP, with the assets as they are deployed. */
export async function startGallery(gallery: Gallery = GALLERY, port = 0): Promise<GalleryServer> {
  const server = createServer((request, response) => {
    answer(gallery, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('no port');
  }
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  gallery: Gallery,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host}`);
  const response = await responseTo(gallery, url, incoming);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

async function responseTo(
  gallery: Gallery,
  url: URL,
  incoming: IncomingMessage,
): Promise<Response> {
  const [, first = '', part = ''] = url.pathname.split('/');
  if (first === 'logos') {
    return new Response(LOGO, { headers: { 'content-type': 'image/svg+xml' } });
  }
  const asset = /^\/(?:dashboard-)?assets\/[\w.]+$/.exec(url.pathname)?.[0];
  if (asset !== undefined) {
    const folder = asset.startsWith('/dashboard') ? 'back-office/public' : 'public';
    const type = asset.endsWith('.css') ? 'text/css' : 'text/javascript';
    const file = await readFile(join(PROJECT_DIRECTORY, folder, asset));
    return new Response(file, { headers: { 'content-type': type } });
  }
  if (url.pathname.startsWith('/docs/images/')) {
    return new Response(await readFile(join(PROJECT_DIRECTORY, url.pathname)));
  }
  if (first === '') {
    return new Response(indexOf(gallery), { headers: { 'content-type': 'text/html' } });
  }
  if (url.pathname.endsWith('/state')) {
    const page = await responseTo(gallery, new URL(incoming.headers.referer ?? '/', url), incoming);
    const tag = /data-tag="([^"]*)"/.exec(await page.text())?.[1] ?? '';
    return Response.json({ tag, isPaid: false });
  }
  const state = Object.hasOwn(gallery, first) ? gallery[first] : undefined;
  if (state === undefined) {
    return new Response('No such state', { status: 404 });
  }
  const request = new Request(url, { headers: headersOf(incoming) });
  switch (part) {
    case '':
      return state(request, `/${first}`);
    case 'status':
      return statusOf(await state(request, `/${first}`));
    case 'qr.svg':
      return new Response(renderSVG(url.href), { headers: { 'content-type': 'image/svg+xml' } });
    case 'logo':
      return new Response(LOGO, { headers: { 'content-type': 'image/svg+xml' } });
    default:
      return new Response(null, { status: 303, headers: { location: `/${first}` } });
  }
}

/** A link to each state in two languages. */
function indexOf(gallery: Gallery): string {
  const links = Object.keys(gallery).map(
    (name) => `<li><a href="/${name}">${name}</a> <a href="/${name}?lang=am">am</a>`,
  );
  return `<!doctype html><title>Gallery</title><ul>${links.join('')}</ul>`;
}

/** The page's own tag, so that polling changes no page. */
async function statusOf(page: Response): Promise<Response> {
  const html = await page.text();
  const tag = /data-state="([^"]*)"/.exec(html)?.[1] ?? '';
  const remaining = /data-remaining-ms="(\d+)"/.exec(html)?.[1];
  return Response.json({
    state: tag,
    remainingMs: remaining === undefined ? null : Number(remaining),
  });
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string') {
      headers.set(name, value);
    }
  }
  return headers;
}
