import type {
  ErrorCode,
  Event,
  EventBody,
  EventWithPayload,
  ExpressPaymentRequest,
  ExpressResult,
  HostedPaymentRequest,
  Payment,
  PaymentSummary,
  Refund,
  RefundRequest,
  RefundSummary,
  ResendResult,
  Webhook,
} from './api-types.ts';

export type * from './api-types.ts';

/**
 * A client of Kefel for servers: Node, Deno, Bun and Cloudflare Workers. It has no dependencies:
 * copy this file and `api-types.ts`. README.md shows the first payment and a webhook.
 */

export interface KefelOptions {
  /** `kfl_test_…` or `kfl_live_…`; decides the environment. Never in a browser or an app. */
  readonly apiKey: string;
  /** The gateway's address: `https://pay.example.com`. A live key goes by https only. */
  readonly baseUrl: string;
  /** How long one try may take. Express payments wait for the provider. */
  readonly timeoutMs?: number;
  /** How often the client repeats a call after a failure that a repeat may cure. */
  readonly retriesMax?: number;
  /** For a proxy or a test. */
  readonly fetch?: typeof fetch;
}

/** Of this client, and in the user agent that it sends. */
export const VERSION = '0.1.0';

/** Longer than the gateway waits for any provider. */
const TIMEOUT_MS = 60_000;
const RETRIES_MAX = 3;
const FIRST_WAIT_MS = 500;
/** Where the gateway asks for a longer wait, the caller decides. */
const WAIT_MS_MAX = 30_000;
/** How old a webhook may be: Standard Webhooks recommends five minutes. */
const WEBHOOK_AGE_SECONDS_MAX = 300;
/** This machine. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A repeat may succeed, and is safe with the same Idempotency-Key. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** The first try, whose answer got lost, is still in progress. */
const PASSING_CODE: ErrorCode = 'idempotency_key_in_use';

/**
 * The gateway refused the request. `code` never changes its meaning; `message` is for people. After a
 * status of 429, or of 500 and above, and after `idempotency_key_in_use` an earlier try may still
 * have made the payment or the refund: proceed as after KefelConnectionError.
 */
export class KefelError extends Error {
  override readonly name = 'KefelError';
  /** The HTTP status. */
  readonly status: number;
  /** For programs; `unknown` when the answer is not Kefel's, as that of a proxy. */
  readonly code: ErrorCode | 'unknown';
  /** Give it to support. */
  readonly requestId: string | null;
  /** The page that says what to do. */
  readonly docs: string | null;
  /** A message for each field that broke a rule, by its path: `items[0].price`. */
  readonly validationErrors: Readonly<Record<string, string>>;
  /** The same as codes: `required`, `too_long`. */
  readonly validationErrorCodes: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | null;

  constructor(answer: Answer) {
    const { body } = answer;
    super(typeof body.message === 'string' ? body.message : `HTTP ${answer.status}`);
    this.status = answer.status;
    this.code = typeof body.code === 'string' ? (body.code as ErrorCode) : 'unknown';
    this.requestId = typeof body.requestId === 'string' ? body.requestId : null;
    this.docs = typeof body.docs === 'string' ? body.docs : null;
    this.validationErrors = textsIn(body.validationErrors);
    this.validationErrorCodes = textsIn(body.validationErrorCodes);
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/**
 * No answer arrived, in any try. The payment or the refund may exist: read it by its id, or repeat
 * the call with the same `idempotencyKey`.
 */
export class KefelConnectionError extends Error {
  override readonly name = 'KefelConnectionError';
}

/** A webhook that does not come from the gateway, or is too old. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface CallOptions {
  /** A text of your own, to repeat a call safely in another process; random by default. */
  readonly idempotencyKey?: string;
}

/** A page of a list, newest first. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

export interface PageOptions {
  /** 1 to 100; 20 by default. */
  readonly limit?: number;
  readonly cursor?: string;
}

export interface PaymentFilter extends PageOptions {
  readonly status?: Payment['status'];
  readonly method?: Payment['paymentMethodTypes'][number];
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly endedFrom?: Date;
  readonly endedTo?: Date;
  readonly paidFrom?: Date;
  readonly paidTo?: Date;
  readonly customerPhone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface RefundFilter extends PageOptions {
  readonly paymentIntentUniqueId?: string;
  readonly status?: Refund['status'];
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

export interface EventFilter extends PageOptions {
  readonly paymentIntentUniqueId?: string;
  readonly type?: Webhook['webHookEvent'];
  readonly deliveryState?: Event['deliveries'][number]['state'];
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isReplayed: boolean;
  readonly retryAfterSeconds: number | null;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Calls the gateway in the environment of its key. */
export class Kefel {
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly events: Events;

  constructor(options: KefelOptions) {
    const transport = new Transport(options);
    this.payments = new Payments(transport);
    this.refunds = new Refunds(transport);
    this.events = new Events(transport);
  }
}

/** Creating, reading and canceling payments. */
export class Payments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a payment with a page. Redirect the customer to `checkoutUrl`. */
  async create(
    request: HostedPaymentRequest,
    options: CallOptions = {},
  ): Promise<{ readonly checkoutUrl: string; readonly isReplayed: boolean }> {
    const { body, isReplayed } = await this.#transport.send({
      method: 'POST',
      path: '/intent',
      body: request,
      idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
    });
    return { checkoutUrl: String(body.content), isReplayed };
  }

  /**
   * Charges one method directly. `SUCCESS` means accepted, not paid: wait for the webhook. Charge
   * again only after `FAILURE`.
   */
  async express(
    request: ExpressPaymentRequest,
    options: CallOptions = {},
  ): Promise<ExpressResult & { readonly isReplayed: boolean }> {
    const { body, isReplayed } = await this.#transport.send({
      method: 'POST',
      path: '/express/pay',
      body: request,
      idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
    });
    return { ...(body.content as ExpressResult), isReplayed };
  }

  /** The payment with your id, its uuid or its integer id. Throws `payment_not_found`. */
  get(id: string | number): Promise<Payment> {
    return this.#transport.content('GET', `/intents/${encodeURIComponent(id)}`);
  }

  /** A page of payments, newest first. The list lags by seconds. */
  list(filter: PaymentFilter = {}): Promise<Page<PaymentSummary>> {
    const { metadata = {}, ...others } = filter;
    const byKey = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value]);
    return this.#transport.content(
      'GET',
      `/intents${queryOf({ ...others, ...Object.fromEntries(byKey) })}`,
    );
  }

  /** Cancels while no attempt is under way; canceling twice changes nothing. */
  cancel(id: string): Promise<Payment> {
    return this.#transport.content('POST', `/intents/${encodeURIComponent(id)}/cancel`);
  }
}

/** Returning money to customers. */
export class Refunds {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns a payment, or the part `amountMinor` of it (5000 is 50.00). The outcome comes by webhook.
   * Refund again only after `FAILED` or `CANCELED`. Throws a RangeError, and sends nothing, for an
   * `amountMinor` that is there but no integer: JSON would make null of NaN.
   */
  async create(
    request: RefundRequest,
    options: CallOptions = {},
  ): Promise<Refund & { readonly isReplayed: boolean }> {
    if ('amountMinor' in request && !Number.isSafeInteger(request.amountMinor)) {
      throw new RangeError(
        `amountMinor must be a whole number of minor units, such as 5000 for 50.00, not ${request.amountMinor}. Leave it out to refund all that is left.`,
      );
    }
    const { body, isReplayed } = await this.#transport.send({
      method: 'POST',
      path: '/refunds',
      body: request,
      idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
    });
    return { ...(body.content as Refund), isReplayed };
  }

  /** The refund with your id. Throws `refund_not_found`. */
  get(id: string): Promise<Refund> {
    return this.#transport.content('GET', `/refunds/${encodeURIComponent(id)}`);
  }

  /** A page of refunds, newest first. The list lags by seconds. */
  list(filter: RefundFilter = {}): Promise<Page<RefundSummary>> {
    return this.#transport.content('GET', `/refunds${queryOf({ ...filter })}`);
  }

  /** Cancels while the refund is `PENDING`; canceling twice changes nothing. */
  cancel(id: string): Promise<Refund> {
    return this.#transport.content('POST', `/refunds/${encodeURIComponent(id)}/cancel`);
  }
}

/** What webhooks told you, or should have. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A page of events, newest first. The list lags by seconds. */
  list(filter: EventFilter = {}): Promise<Page<Event>> {
    return this.#transport.content('GET', `/events${queryOf({ ...filter })}`);
  }

  /** With `payload`, the body that is sent. */
  get(id: string): Promise<EventWithPayload> {
    return this.#transport.content('GET', `/events/${encodeURIComponent(id)}`);
  }

  /** Sends the event again; one that is on its way stays as it is. */
  resend(id: string): Promise<EventWithPayload> {
    return this.#transport.content('POST', `/events/${encodeURIComponent(id)}/resend`);
  }

  /**
   * Sends again what no endpoint has accepted since a time, oldest first. Repeat the call with
   * `nextCursor` while `hasMore` is true.
   */
  resendUndelivered(since: Date, cursor?: string | null): Promise<ResendResult> {
    return this.#transport.content('POST', '/events/resend', { since, cursor: cursor ?? null });
  }
}

/** Sends requests, and repeats them when that is safe and may help. */
class Transport {
  readonly #apiKey: string;
  readonly #root: string;
  readonly #timeoutMs: number;
  readonly #retriesMax: number;
  readonly #fetch: typeof fetch;

  constructor(options: KefelOptions) {
    checkPrivacy(options);
    const environment = options.apiKey.startsWith('kfl_test_') ? '/sandbox' : '';
    this.#apiKey = options.apiKey;
    this.#root = `${options.baseUrl.replace(/\/+$/, '')}/api/v1/payment${environment}`;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#retriesMax = options.retriesMax ?? RETRIES_MAX;
    // Workers and browsers refuse a fetch that is called as a method.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
  }

  async content<Content>(method: 'GET' | 'POST', path: string, body?: object): Promise<Content> {
    const request = { method, path, ...(body === undefined ? {} : { body }) };
    return (await this.send(request)).body.content as Content;
  }

  async send(request: Request): Promise<Answer> {
    for (let retries = 0; ; retries += 1) {
      const answer = await this.#try(request);
      if (!(answer instanceof Error) && answer.status === 200) {
        return answer;
      }
      const failure = answer instanceof Error ? answer : new KefelError(answer);
      const waitMs = waitBefore(retries, failure);
      if (retries >= this.#retriesMax || !isPassing(failure) || waitMs > WAIT_MS_MAX) {
        throw failure;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  async #try({ method, path, body, idempotencyKey }: Request): Promise<Answer | Error> {
    try {
      const response = await this.#fetch(this.#root + path, {
        method,
        headers: {
          apiKey: this.#apiKey,
          // Firewalls refuse requests of unnamed programs.
          'user-agent': `kefel-node/${VERSION}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would carry the API key to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        status: response.status,
        body: objectIn(await response.text()),
        isReplayed: response.headers.get('idempotent-replayed') === 'true',
        retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
      };
    } catch (error) {
      return new KefelConnectionError(`No answer to ${method} ${path}`, { cause: error });
    }
  }
}

/** Over plain http, any host on the way could read the key and take money with it. */
function checkPrivacy({ apiKey, baseUrl }: KefelOptions): void {
  const url = urlIn(baseUrl);
  const isPrivate = url?.protocol === 'https:' || LOOPBACK.test(url?.hostname ?? '');
  if (apiKey.startsWith('kfl_live_') && !isPrivate) {
    throw new RangeError('baseUrl must begin with https://: plain http exposes a live key');
  }
}

/** `URL.canParse` is missing before Node 18.17. */
function urlIn(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isPassing(failure: Error): boolean {
  return (
    failure instanceof KefelConnectionError ||
    (failure instanceof KefelError &&
      (PASSING_STATUSES.has(failure.status) || failure.code === PASSING_CODE))
  );
}

/** What the gateway asks for; else half to all of a time that doubles with each retry. */
function waitBefore(retries: number, failure: Error): number {
  const asked = failure instanceof KefelError ? failure.retryAfterSeconds : null;
  const limitMs = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** retries);
  return asked === null ? limitMs * (0.5 + Math.random() / 2) : asked * 1_000;
}

/**
 * A verified webhook. Deduplicate by `id`: an event may arrive more than once. Check `type` first:
 * `payment.status` stays `SUCCESS` in events of refunds.
 */
export type VerifiedWebhook = PaymentWebhook | RefundWebhook;

export interface PaymentWebhook {
  readonly id: string;
  readonly type: Extract<Webhook['webHookEvent'], `PAYMENT_${string}`>;
  readonly environment: Webhook['environment'];
  readonly payment: EventBody;
  readonly refund: null;
}

export interface RefundWebhook {
  readonly id: string;
  readonly type: Extract<Webhook['webHookEvent'], `REFUND_${string}`>;
  readonly environment: Webhook['environment'];
  readonly payment: EventBody;
  readonly refund: Refund;
}

/** As Fetch has them, or as Node does: an object with names in lower case. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Whose webhooks a server takes. The dashboard shows the id on the page of the webhooks. */
export interface ExpectedTenant {
  readonly merchantId: string;
  readonly environment: Webhook['environment'];
}

/**
 * Checks the Standard Webhooks signature of a request to your endpoint, and whose event it is, and
 * returns the event. `rawBody`: the body as it arrived, before any JSON parser. `secret`:
 * `whsec_…`, from the dashboard. Without `expected` it warns. Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  expected?: ExpectedTenant,
  nowMs = Date.now(),
): Promise<VerifiedWebhook> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const ageSeconds = Math.abs(nowMs / 1_000 - Number(timestamp));
  if (!(ageSeconds <= WEBHOOK_AGE_SECONDS_MAX)) {
    throw new WebhookVerificationError('The webhook is too old, or its timestamp is missing');
  }
  const key = await hmacKey(secret);
  const text = typeof rawBody === 'string' ? rawBody : UTF_8.decode(rawBody);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .filter((text) => text.startsWith('v1,'))
    .map((text) => bytesFromBase64(text.slice('v1,'.length)));
  for (const signature of signatures) {
    if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, signed))) {
      return checked(decoded(id, text), expected);
    }
  }
  throw new WebhookVerificationError('The signature does not fit');
}

function decoded(id: string, text: string): VerifiedWebhook {
  try {
    const webhook: Webhook = JSON.parse(text);
    const { webHookEvent: type, environment } = webhook;
    const payment: EventBody = JSON.parse(webhook.body);
    if (!('uniqueId' in payment)) {
      throw new TypeError('no payment');
    }
    const { refund = null } = payment;
    return { id, type, environment, payment, refund } as VerifiedWebhook;
  } catch (error) {
    throw new WebhookVerificationError('The body is not a webhook', { cause: error });
  }
}

let hasWarned = false;

/** Events from before these fields have none: for them, the secret alone proves whose they are. */
function checked(webhook: VerifiedWebhook, expected: ExpectedTenant | undefined): VerifiedWebhook {
  if (expected === undefined) {
    if (!hasWarned) {
      hasWarned = true;
      console.warn('kefel: pass { merchantId, environment } to verifyWebhook, which compares both');
    }
    return webhook;
  }
  const payment: Partial<ExpectedTenant> = webhook.payment;
  const { merchantId = expected.merchantId, environment = webhook.environment } = payment;
  if (merchantId !== expected.merchantId || environment !== expected.environment) {
    throw new WebhookVerificationError('The webhook is of another merchant or environment');
  }
  return webhook;
}

function hmacKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesFromBase64(secret.replace(/^whsec_/, ''));
  // Any sender can sign with an empty key.
  if (bytes === null || bytes.length === 0) {
    throw new WebhookVerificationError('The secret is not whsec_ and base64');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : '';
}

function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

function queryOf(values: Readonly<Record<string, string | number | Date | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) {
      query.set(name, value instanceof Date ? value.toISOString() : String(value));
    }
  }
  return `?${query}`;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // A proxy in between may answer with a page.
    return {};
  }
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {};
}
