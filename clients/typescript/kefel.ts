import type {
  Bank,
  ErrorCode,
  Event,
  EventBody,
  EventWithPayload,
  ExpressPaymentRequest,
  ExpressResult,
  HostedPaymentRequest,
  NewPaymentLink,
  NewWebhookEndpoint,
  NewWebhookSecret,
  Payment,
  PaymentLink,
  PaymentLinkChanges,
  PaymentSummary,
  Refund,
  RefundRequest,
  RefundSummary,
  ResendResult,
  Webhook,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookEndpointWithSecret,
  WebhookKey,
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
  /** How long one try may take: a minute by default. Express payments wait for the provider. */
  readonly timeoutMs?: number;
  /** How long a call may take with all its tries: two minutes by default. */
  readonly deadlineMs?: number;
  /** How often the client repeats a call after a failure that a repeat may cure. */
  readonly retriesMax?: number;
  /** Takes each warning of a creation, such as a misspelled field; by default `console.warn` does. */
  readonly onWarning?: (warning: string) => void;
  /** For a proxy or a test. */
  readonly fetch?: typeof fetch;
}

/** Of one call. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  /**
   * Ends the call, which then throws the signal's reason. What it creates may exist: proceed as after
   * KefelConnectionError.
   */
  readonly signal?: AbortSignal;
}

export interface CreationOptions extends CallOptions {
  /**
   * A random text by default. Store one of your own with the order before the call, so that another
   * process can repeat it: 1 to 255 printable ASCII characters.
   */
  readonly idempotencyKey?: string;
}

/** Of this client, and in the user agent that it sends. */
export const VERSION = '0.1.0';

/** Longer than the gateway waits for any provider. */
const TIMEOUT_MS = 60_000;
const DEADLINE_MS = 120_000;
/** Timers overflow beyond this. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const RETRIES_MAX = 3;
const FIRST_WAIT_MS = 500;
/** Where the gateway asks for a longer wait, the caller decides. */
const WAIT_MS_MAX = 30_000;
/** What pages of `all` have, unless the caller chooses: the most. */
const ITEMS_MAX = 100;
/** Standard Webhooks recommends five minutes. */
const WEBHOOK_TOLERANCE_SECONDS = 300;
/** The version of the webhooks that `signTestWebhook` makes. */
const PAYLOAD_VERSION = '2026-11-23';
const API_KEY = /^kfl_(?:test|live)_[0-9A-Za-z]+$/;
/** Other characters could end the header. */
const IDEMPOTENCY_KEY = /^(?=.{1,255}$)[!-~](?:[ -~]*[!-~])?$/;
/** This machine. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** The path of an empty id would be that of a list; so would those that addresses leave out. */
const PATH_WITHOUT_ID = /\/\.{0,2}(?:\/|$)/;
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A repeat may succeed, and is safe with the same Idempotency-Key. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** The first try, whose answer got lost, is still in progress. */
const PASSING_CODE: ErrorCode = 'idempotency_key_in_use';

/** Each error of a call or a webhook is one of these; wrong arguments throw a RangeError. */
export abstract class KefelFailure extends Error {
  /** Give it to support; null when the gateway did not answer. */
  readonly requestId: string | null = null;
}

/**
 * The gateway refused the request. `code` never changes its meaning; `message` is for people. After a
 * status of 429, or of 500 and above, and after `idempotency_key_in_use` an earlier try may still
 * have made the payment or the refund: proceed as after KefelConnectionError.
 */
export class KefelError extends KefelFailure {
  override readonly name = 'KefelError';
  /** The HTTP status. */
  readonly status: number;
  /** For programs; `unknown` when the answer is not Kefel's, as that of a proxy. */
  readonly code: ErrorCode | 'unknown';
  override readonly requestId: string | null;
  /** The page that says what to do. */
  readonly docs: string | null;
  /** A message for each field that broke a rule, by its path: `items[0].price`. */
  readonly validationErrors: Readonly<Record<string, string>>;
  /** The same as codes: `required`, `too_long`. */
  readonly validationErrorCodes: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | null;
  /** Only of `duplicate_payment_id`, if the key may read payments: the payment that exists. */
  readonly payment: Payment | null;

  constructor(answer: Pick<Answer, 'status' | 'body' | 'retryAfterSeconds'>) {
    const { body } = answer;
    super(typeof body.message === 'string' ? body.message : `HTTP ${answer.status}`);
    this.status = answer.status;
    this.code = typeof body.code === 'string' ? (body.code as ErrorCode) : 'unknown';
    this.requestId = typeof body.requestId === 'string' ? body.requestId : null;
    this.docs = typeof body.docs === 'string' ? body.docs : null;
    this.validationErrors = textsIn(body.validationErrors);
    this.validationErrorCodes = textsIn(body.validationErrorCodes);
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.payment = (body.payment as Payment | undefined) ?? null;
  }
}

/**
 * No answer of the gateway arrived, in any try. The payment or the refund may exist: read it by its
 * id, or repeat the call with the same `idempotencyKey`.
 */
export class KefelConnectionError extends KefelFailure {
  override readonly name = 'KefelConnectionError';
}

/** A webhook that does not come from the gateway, or is too old. Answer it with 400. */
export class WebhookVerificationError extends KefelFailure {
  override readonly name = 'WebhookVerificationError';
}

/** What each creation returns besides its result. */
export interface Creation {
  /** This is the answer of an earlier call with the same `idempotencyKey`. */
  readonly isReplayed: boolean;
  /** Sentences about likely mistakes, such as a misspelled field. */
  readonly warnings: readonly string[];
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
  readonly paymentLinkUniqueId?: string;
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

export interface PaymentLinkFilter extends PageOptions {
  readonly isActive?: boolean;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isReplayed: boolean;
  readonly warnings: readonly string[];
  readonly retryAfterSeconds: number | null;
}

interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** Of the answer's `content`: `object` by default. */
  readonly contentType?: 'string' | 'object';
  /** A repeat would do the work twice. */
  readonly isUnrepeatable?: true;
}

/** Calls the gateway in the environment of its key. Throws a RangeError for options that do not fit. */
export class Kefel {
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly paymentLinks: PaymentLinks;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookKeys: WebhookKeys;
  readonly banks: Banks;

  constructor(options: KefelOptions) {
    const transport = new Transport(options);
    this.payments = new Payments(transport);
    this.refunds = new Refunds(transport);
    this.paymentLinks = new PaymentLinks(transport);
    this.events = new Events(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.webhookKeys = new WebhookKeys(transport);
    this.banks = new Banks(transport);
  }
}

class Calls {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

/** Creating, reading and canceling payments. */
export class Payments extends Calls {
  /** Creates a payment with a page. Redirect the customer to `checkoutUrl`. */
  async create(
    request: HostedPaymentRequest,
    options: CreationOptions = {},
  ): Promise<{ readonly checkoutUrl: string } & Creation> {
    const path = '/intent';
    const creation = { path, body: request, contentType: 'string' } as const;
    const { content, ...about } = await this.transport.create<string>(creation, options);
    return { checkoutUrl: content, ...about };
  }

  /**
   * Charges one method directly. `SUCCESS` means accepted, not paid: wait for the webhook. Charge
   * again only after `FAILURE`.
   */
  async express(
    request: ExpressPaymentRequest,
    options: CreationOptions = {},
  ): Promise<ExpressResult & Creation> {
    const creation = { path: '/express/pay', body: request };
    const { content, ...about } = await this.transport.create<ExpressResult>(creation, options);
    return { ...content, ...about };
  }

  /**
   * The payment with your id, its uuid or its integer id. Its `checkoutUrl` leads to the customer's
   * page until the payment has ended. Throws `payment_not_found`.
   */
  get(id: string | number, options?: CallOptions): Promise<Payment> {
    return this.transport.content({ method: 'GET', path: `/intents/${encoded(id)}` }, options);
  }

  /** A page of payments, newest first. The list lags by seconds. */
  list(filter: PaymentFilter = {}, options?: CallOptions): Promise<Page<PaymentSummary>> {
    const { metadata = {}, ...others } = filter;
    const byKey = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value]);
    const query = queryOf({ ...others, ...Object.fromEntries(byKey) });
    return this.transport.content({ method: 'GET', path: `/intents${query}` }, options);
  }

  /** The payments of all pages, newest first. */
  all(filter: PaymentFilter = {}, options?: CallOptions): AsyncGenerator<PaymentSummary, void> {
    return itemsOf(filter, (page) => this.list(page, options));
  }

  /** Cancels while no attempt is under way; canceling twice changes nothing. */
  cancel(id: string, options?: CallOptions): Promise<Payment> {
    const path = `/intents/${encoded(id)}/cancel`;
    return this.transport.content({ method: 'POST', path }, options);
  }
}

/** Returning money to customers. */
export class Refunds extends Calls {
  /**
   * Returns a payment, or the part `amountMinor` of it (5000 is 50.00). The outcome comes by webhook.
   * Refund again only after `FAILED` or `CANCELED`. Throws a RangeError, and sends nothing, for an
   * `amountMinor` that is there but no integer: JSON would make null of NaN.
   */
  async create(request: RefundRequest, options: CreationOptions = {}): Promise<Refund & Creation> {
    if ('amountMinor' in request && !Number.isSafeInteger(request.amountMinor)) {
      throw new RangeError(
        `amountMinor must be a whole number of minor units, such as 5000 for 50.00, not ${request.amountMinor}. Leave it out to refund all that is left.`,
      );
    }
    const creation = { path: '/refunds', body: request };
    const { content, ...about } = await this.transport.create<Refund>(creation, options);
    return { ...content, ...about };
  }

  /** The refund with your id. Throws `refund_not_found`. */
  get(id: string, options?: CallOptions): Promise<Refund> {
    return this.transport.content({ method: 'GET', path: `/refunds/${encoded(id)}` }, options);
  }

  /** A page of refunds, newest first. The list lags by seconds. */
  list(filter: RefundFilter = {}, options?: CallOptions): Promise<Page<RefundSummary>> {
    const path = `/refunds${queryOf({ ...filter })}`;
    return this.transport.content({ method: 'GET', path }, options);
  }

  /** The refunds of all pages, newest first. */
  all(filter: RefundFilter = {}, options?: CallOptions): AsyncGenerator<RefundSummary, void> {
    return itemsOf(filter, (page) => this.list(page, options));
  }

  /** Cancels while the refund is `PENDING`; canceling twice changes nothing. */
  cancel(id: string, options?: CallOptions): Promise<Refund> {
    const path = `/refunds/${encoded(id)}/cancel`;
    return this.transport.content({ method: 'POST', path }, options);
  }
}

/** Links that any number of customers pay by. Their amounts are in major units, also in answers. */
export class PaymentLinks extends Calls {
  /** Creates a link. Share its `url`, the page at which customers pay. */
  async create(
    request: NewPaymentLink,
    options: CreationOptions = {},
  ): Promise<PaymentLink & Creation> {
    const creation = { path: '/links', body: request };
    const { content, ...about } = await this.transport.create<PaymentLink>(creation, options);
    return { ...content, ...about };
  }

  /** The link with your id. Throws `payment_link_not_found`. */
  get(id: string, options?: CallOptions): Promise<PaymentLink> {
    return this.transport.content({ method: 'GET', path: `/links/${encoded(id)}` }, options);
  }

  /** A page of links, newest first. */
  list(filter: PaymentLinkFilter = {}, options?: CallOptions): Promise<Page<PaymentLink>> {
    const path = `/links${queryOf({ ...filter })}`;
    return this.transport.content({ method: 'GET', path }, options);
  }

  /** The links of all pages, newest first. */
  all(filter: PaymentLinkFilter = {}, options?: CallOptions): AsyncGenerator<PaymentLink, void> {
    return itemsOf(filter, (page) => this.list(page, options));
  }

  /** Changes what `change` names. `isActive: true` activates the link again. */
  update(id: string, change: PaymentLinkChanges, options?: CallOptions): Promise<PaymentLink> {
    const request = { method: 'PATCH', path: `/links/${encoded(id)}`, body: change } as const;
    return this.transport.content(request, options);
  }

  /** Its page takes no more payments; deactivating twice changes nothing. */
  deactivate(id: string, options?: CallOptions): Promise<PaymentLink> {
    const path = `/links/${encoded(id)}/deactivate`;
    return this.transport.content({ method: 'POST', path }, options);
  }
}

/** What webhooks told you, or should have. */
export class Events extends Calls {
  /** A page of events, newest first. The list lags by seconds. */
  list(filter: EventFilter = {}, options?: CallOptions): Promise<Page<Event>> {
    const path = `/events${queryOf({ ...filter })}`;
    return this.transport.content({ method: 'GET', path }, options);
  }

  /** The events of all pages, newest first. */
  all(filter: EventFilter = {}, options?: CallOptions): AsyncGenerator<Event, void> {
    return itemsOf(filter, (page) => this.list(page, options));
  }

  /** With `payload`, the body that is sent. */
  get(id: string, options?: CallOptions): Promise<EventWithPayload> {
    return this.transport.content({ method: 'GET', path: `/events/${encoded(id)}` }, options);
  }

  /** Sends the event again; one that is on its way stays as it is. */
  resend(id: string, options?: CallOptions): Promise<EventWithPayload> {
    const path = `/events/${encoded(id)}/resend`;
    return this.transport.content({ method: 'POST', path }, options);
  }

  /**
   * Sends again what no endpoint has accepted since a time, oldest first. Repeat the call with
   * `nextCursor` while `hasMore` is true.
   */
  resendUndelivered(
    since: Date,
    cursor?: string | null,
    options?: CallOptions,
  ): Promise<ResendResult> {
    const body = { since, cursor: cursor ?? null };
    return this.transport.content({ method: 'POST', path: '/events/resend', body }, options);
  }
}

/** Where events are sent. */
export class WebhookEndpoints extends Calls {
  /** Adds an endpoint. Store its `secret`: no other call shows it. */
  async create(
    request: NewWebhookEndpoint,
    options: CreationOptions = {},
  ): Promise<WebhookEndpointWithSecret & Creation> {
    const creation = { path: '/webhook-endpoints', body: request };
    const { content, ...about } = await this.transport.create<WebhookEndpointWithSecret>(
      creation,
      options,
    );
    return { ...content, ...about };
  }

  /** All endpoints, oldest first. */
  list(options?: CallOptions): Promise<readonly WebhookEndpoint[]> {
    return this.transport.content({ method: 'GET', path: '/webhook-endpoints' }, options);
  }

  get(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.transport.content({ method: 'GET', path: endpointPath(id) }, options);
  }

  /** Changes what `change` names. */
  update(
    id: string,
    change: WebhookEndpointChanges,
    options?: CallOptions,
  ): Promise<WebhookEndpoint> {
    const request = { method: 'PATCH', path: endpointPath(id), body: change } as const;
    return this.transport.content(request, options);
  }

  /** Returns the endpoint as it was. */
  delete(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.transport.content({ method: 'DELETE', path: endpointPath(id) }, options);
  }

  /** Adds a secret. The old ones sign too for `overlapHours`. The client does not repeat this call. */
  rotateSecret(
    id: string,
    request: NewWebhookSecret = {},
    options?: CallOptions,
  ): Promise<WebhookEndpointWithSecret> {
    const path = `${endpointPath(id)}/secret`;
    const rotation = { method: 'POST', path, body: request, isUnrepeatable: true } as const;
    return this.transport.content(rotation, options);
  }
}

/** The public keys of `signature` in webhooks. */
export class WebhookKeys extends Calls {
  /** All keys, newest first. */
  list(options?: CallOptions): Promise<readonly WebhookKey[]> {
    return this.transport.content({ method: 'GET', path: '/webhook-keys' }, options);
  }
}

/** The banks that a split can name. */
export class Banks extends Calls {
  list(options?: CallOptions): Promise<readonly Bank[]> {
    return this.transport.content({ method: 'GET', path: '/banks' }, options);
  }
}

/** Sends requests, and repeats them when that is safe and may help. */
class Transport {
  readonly #apiKey: string;
  readonly #root: string;
  readonly #timeoutMs: number;
  readonly #deadlineMs: number;
  readonly #retriesMax: number;
  readonly #onWarning: (warning: string) => void;
  readonly #fetch: typeof fetch;

  constructor(options: KefelOptions) {
    this.#apiKey = apiKeyIn(options.apiKey);
    const environment = this.#apiKey.startsWith('kfl_test_') ? '/sandbox' : '';
    this.#root = `${addressIn(options.baseUrl, this.#apiKey)}/api/v1/payment${environment}`;
    this.#timeoutMs = positive('timeoutMs', options.timeoutMs ?? TIMEOUT_MS);
    this.#deadlineMs = positive('deadlineMs', options.deadlineMs ?? DEADLINE_MS);
    this.#retriesMax = options.retriesMax ?? RETRIES_MAX;
    this.#onWarning = options.onWarning ?? ((warning) => console.warn(`kefel: ${warning}`));
    // Workers and browsers refuse a fetch that is called as a method.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
  }

  async content<Content>(request: Request, options?: CallOptions): Promise<Content> {
    return (await this.#send(request, options)).body.content as Content;
  }

  async create<Content>(
    request: Omit<Request, 'method'>,
    { idempotencyKey = crypto.randomUUID(), ...options }: CreationOptions,
  ): Promise<{ readonly content: Content } & Creation> {
    if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
      throw new RangeError(
        'idempotencyKey must be 1 to 255 printable ASCII characters, without blanks at its ends',
      );
    }
    const answer = await this.#send({ ...request, method: 'POST', idempotencyKey }, options);
    const { isReplayed, warnings } = answer;
    return { content: answer.body.content as Content, isReplayed, warnings };
  }

  async #send(request: Request, options: CallOptions = {}): Promise<Answer> {
    if (PATH_WITHOUT_ID.test(request.path)) {
      throw new RangeError('The id must not be empty, "." or ".."');
    }
    const timeoutMs = positive('timeoutMs', options.timeoutMs ?? this.#timeoutMs);
    const deadlineMs = positive('deadlineMs', options.deadlineMs ?? this.#deadlineMs);
    const endsAtMs = performance.now() + deadlineMs;
    const retriesMax = request.isUnrepeatable ? 0 : this.#retriesMax;
    for (let retries = 0; ; retries += 1) {
      const leftMs = endsAtMs - performance.now();
      const answer = await this.#try(request, Math.min(timeoutMs, leftMs), options.signal);
      const failure = failureIn(answer);
      if (failure === null) {
        return this.#logged(answer as Answer);
      }
      const waitMs = waitBefore(retries, failure);
      const isTooLong = waitMs > WAIT_MS_MAX || performance.now() + waitMs >= endsAtMs;
      if (!(retries < retriesMax) || !isPassing(failure) || isTooLong) {
        throw failure;
      }
      await pause(waitMs, options.signal);
      if (performance.now() >= endsAtMs) {
        throw failure;
      }
    }
  }

  #logged(answer: Answer): Answer {
    for (const warning of answer.warnings) {
      this.#onWarning(warning);
    }
    return answer;
  }

  async #try(
    request: Request,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer | KefelConnectionError> {
    signal?.throwIfAborted();
    // Node 18 has no `AbortSignal.any`.
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(new Error('timed out')), timeoutMs);
    const abort = () => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      return await this.#exchange(request, end.signal);
    } catch (error) {
      signal?.throwIfAborted();
      const { method, path } = request;
      return new KefelConnectionError(`No answer to ${method} ${path}`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #exchange(
    { method, path, body, idempotencyKey, contentType = 'object' }: Request,
    signal: AbortSignal,
  ): Promise<Answer> {
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
      signal,
    });
    const envelope = objectIn(await response.text());
    if (response.ok && !hasContent(envelope, contentType)) {
      throw new TypeError('a page or a proxy answered instead of the gateway');
    }
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      body: envelope,
      isReplayed: response.headers.get('idempotent-replayed') === 'true',
      warnings: Array.isArray(envelope.warnings) ? envelope.warnings.map(String) : [],
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    };
  }
}

/** Whether this is a successful answer of the gateway, and not that of a portal or a proxy. */
function hasContent(
  { status, content }: Answer['body'],
  type: NonNullable<Request['contentType']>,
): boolean {
  return typeof status === 'number' && typeof content === type && content !== null;
}

/** As people copy it: with a blank or the end of its line. No message prints it. */
function apiKeyIn(text: string): string {
  const apiKey = String(text ?? '').trim();
  if (!API_KEY.test(apiKey)) {
    throw new RangeError(
      'apiKey must be a key of the dashboard: kfl_test_… or kfl_live_…, then letters and digits',
    );
  }
  return apiKey;
}

/** The gateway's address without a slash at its end. */
function addressIn(text: string, apiKey: string): string {
  const url = urlIn(String(text ?? ''));
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text);
  if (!isPlain || url.username !== '' || url.password !== '') {
    throw new RangeError(
      'baseUrl must be the address of your gateway, such as https://pay.example.com, without a query, a fragment or a password',
    );
  }
  if (url.pathname.includes('/api/v1/payment')) {
    throw new RangeError(
      `baseUrl must be only the address of your gateway, such as ${url.origin}: the client adds /api/v1/payment`,
    );
  }
  // Over plain http, any host on the way could read the key and take money with it.
  const isPrivate = url.protocol === 'https:' || LOOPBACK.test(url.hostname);
  if (apiKey.startsWith('kfl_live_') && !isPrivate) {
    throw new RangeError('baseUrl must begin with https://: plain http exposes a live key');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function positive(name: string, value: number): number {
  if (!(value > 0)) {
    throw new RangeError(`${name} must be a positive number of milliseconds, not ${value}`);
  }
  return Math.min(value, TIMER_MS_MAX);
}

/** `URL.canParse` is missing before Node 18.17. */
function urlIn(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function failureIn(answer: Answer | KefelConnectionError): KefelFailure | null {
  if (answer instanceof KefelConnectionError) {
    return answer;
  }
  return answer.status >= 200 && answer.status < 300 ? null : new KefelError(answer);
}

function isPassing(failure: KefelFailure): boolean {
  return (
    failure instanceof KefelConnectionError ||
    (failure instanceof KefelError &&
      (PASSING_STATUSES.has(failure.status) || failure.code === PASSING_CODE))
  );
}

/** What the gateway asks for; else half to all of a time that doubles with each retry. */
function waitBefore(retries: number, failure: KefelFailure): number {
  const asked = failure instanceof KefelError ? failure.retryAfterSeconds : null;
  const limitMs = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** retries);
  return asked === null ? limitMs * (0.5 + Math.random() / 2) : asked * 1_000;
}

function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, waitMs);
    signal?.addEventListener('abort', abort);
  });
}

/** The items of all pages. */
async function* itemsOf<Filter extends PageOptions, Item>(
  filter: Filter,
  read: (filter: Filter) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  let page = await read({ limit: ITEMS_MAX, ...filter });
  yield* page.data;
  while (page.nextCursor !== null) {
    page = await read({ limit: ITEMS_MAX, ...filter, cursor: page.nextCursor });
    yield* page.data;
  }
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

/** As Fetch has them, of any runtime, or an object with names in any case, as Node has. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Whose webhooks a server takes. The dashboard shows the id on the page of the webhooks. */
export interface ExpectedTenant {
  readonly merchantId: string;
  readonly environment: Webhook['environment'];
}

export interface VerificationOptions {
  /** How old a webhook may be: 300 by default. */
  readonly toleranceSeconds?: number;
  /** For a test. */
  readonly nowMs?: number;
}

/**
 * Checks the Standard Webhooks signature of a request to your endpoint, and whose event it is, and
 * returns the event. `rawBody`: the body as it arrived, before any JSON parser. `secret`:
 * `whsec_…`, from the dashboard. Without `expected` it warns. Throws WebhookVerificationError, and a
 * TypeError for a body that was parsed before.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  expected?: ExpectedTenant,
  { toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS, nowMs = Date.now() }: VerificationOptions = {},
): Promise<VerifiedWebhook> {
  if (!(toleranceSeconds > 0 && toleranceSeconds < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`toleranceSeconds must be a positive number, not ${toleranceSeconds}`);
  }
  if (!isRaw(rawBody)) {
    throw new TypeError(
      "rawBody must be the text or the bytes that arrived, not what a JSON parser made of them. In Express, put the route before express.json() and use express.raw({ type: 'application/json' }); with the Request of Fetch, pass await request.text()",
    );
  }
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const ageSeconds = Math.abs(nowMs / 1_000 - Number(timestamp));
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError('The webhook is too old, or its timestamp is missing');
  }
  const key = await hmacKey(secret, 'verify');
  const text = typeof rawBody === 'string' ? rawBody : UTF_8.decode(rawBody);
  const signed = signedText(id, timestamp, text);
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

/** The content of a webhook's `body`, as far as a test needs it. */
export type TestEvent = Pick<EventBody, 'event' | 'uniqueId'> & Partial<EventBody>;

/**
 * A webhook for the test of your own receiver: post `rawBody` with these headers to it. The secret
 * is the one that the receiver verifies with. The older RSA `signature` is empty.
 */
export async function signTestWebhook(
  event: TestEvent,
  secret: string,
  { id = `evt_${crypto.randomUUID().replaceAll('-', '')}`, at = new Date() } = {},
): Promise<{ readonly rawBody: string; readonly headers: Readonly<Record<string, string>> }> {
  const { event: name, uniqueId, environment = 'sandbox' } = event;
  const webhook: Webhook = {
    webHookEvent: name,
    paymentIntentUniqueId: uniqueId,
    environment,
    payloadVersion: PAYLOAD_VERSION,
    // A refund's status is not that of its payment.
    status: name === 'REFUND_SUCCESS' ? 'REFUNDED' : name.replace(/^PAYMENT_/, ''),
    signature: '',
    body: JSON.stringify(event),
  };
  const rawBody = JSON.stringify(webhook);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const key = await hmacKey(secret, 'sign');
  const mac = await crypto.subtle.sign('HMAC', key, signedText(id, timestamp, rawBody));
  const signature = btoa(String.fromCharCode(...new Uint8Array(mac)));
  return {
    rawBody,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  };
}

function signedText(id: string, timestamp: string, text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${id}.${timestamp}.${text}`);
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

function hmacKey(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = bytesFromBase64(secret.replace(/^whsec_/, ''));
  // Any sender can sign with an empty key.
  if (bytes === null || bytes.length === 0) {
    throw new WebhookVerificationError('The secret is not whsec_ and base64');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function isRaw(body: unknown): boolean {
  return typeof body === 'string' || ArrayBuffer.isView(body) || body instanceof ArrayBuffer;
}

/** Empty without the header, and when it came more than once. */
function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function') {
    return headers.get(name) ?? '';
  }
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? String(values[0]) : '';
}

function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

function encoded(id: string | number): string {
  return encodeURIComponent(id);
}

function endpointPath(id: string): string {
  return `/webhook-endpoints/${encoded(id)}`;
}

function queryOf(
  values: Readonly<Record<string, string | number | boolean | Date | undefined>>,
): string {
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
