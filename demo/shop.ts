import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  Kefel,
  KefelConnectionError,
  KefelError,
  verifyWebhook,
  WebhookVerificationError,
} from '../clients/typescript/kefel.ts';
import { major, newOrderId, type Order, Orders, PRODUCT, QUANTITY_MAX } from './orders.ts';
import { notFoundPage, orderPage, productPage, type Visit } from './pages.ts';
import { languageOf, TEXTS } from './texts.ts';

/** A merchant's server: a product page, two ways to pay, a webhook, and a page for each order. */

export interface ShopSettings {
  /** A key of the sandbox: the shop moves no money. */
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly merchantId: string;
  readonly gatewayUrl: string;
  /** 0 means any free port. */
  readonly port: number;
}

export interface Shop {
  readonly url: string;
  close(): void;
}

/** Larger than any webhook. */
const BODY_BYTES_MAX = 256 * 1024;
const EXPIRE_IN_SECONDS = 900;
/** The webhook tells sooner. This is for when none can reach us. */
const ASK_EVERY_MS = 3_000;

export async function startShop(settings: ShopSettings): Promise<Shop> {
  const files = await readFiles();
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, 'localhost', resolve);
  });
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const shop = new ShopServer(settings, url, files);
  server.on('request', (request, response) => void shop.answer(request, response));
  return {
    url,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

class ShopServer {
  readonly #settings: ShopSettings;
  readonly #url: string;
  readonly #files: Files;
  readonly #kefel: Kefel;
  readonly #orders = new Orders();
  /** When the gateway was last asked about an order. */
  readonly #askedAtMs = new Map<string, number>();

  constructor(settings: ShopSettings, url: string, files: Files) {
    this.#settings = settings;
    this.#url = url;
    this.#files = files;
    this.#kefel = new Kefel({ apiKey: settings.apiKey, baseUrl: settings.gatewayUrl });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      console.error(error);
      send(response, 500, 'text/plain', 'Something went wrong. Please try again.');
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.#url);
    const visit = {
      gatewayUrl: this.#settings.gatewayUrl,
      language: languageOf(searchParams, request.headers),
      path: pathname,
    };
    if (searchParams.has('lang')) {
      response.setHeader('set-cookie', `shop_language=${visit.language}; Path=/; SameSite=Lax`);
    }
    const [, id = '', rest = ''] = /^\/orders\/([\w-]+)(\/status)?$/.exec(pathname) ?? [];
    const order = this.#orders.get(id);
    const file = this.#files.get(pathname);
    const route = `${request.method} ${order === null ? pathname : `/orders/{id}${rest}`}`;
    switch (true) {
      case route === 'GET /':
        return this.#page(response, 200, productPage(visit, newOrderId()));
      case route === 'POST /orders':
        return this.#createOrder(request, response, visit);
      case route === 'POST /webhooks':
        return this.#receiveWebhook(request, response);
      case route === 'GET /orders/{id}' && order !== null:
        await this.#askAbout(order);
        return this.#page(response, 200, orderPage(visit, order));
      case route === 'GET /orders/{id}/status' && order !== null:
        await this.#askAbout(order);
        return send(response, 200, 'application/json', JSON.stringify({ status: order.status }));
      case request.method === 'GET' && file !== undefined:
        return send(response, 200, file.type, file.text);
      default:
        return this.#page(response, 404, notFoundPage(visit));
    }
  }

  /** POST /orders: the form of the product page. */
  async #createOrder(
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
  ): Promise<void> {
    const form = new URLSearchParams((await bodyOf(request)).toString());
    const quantity = Number(form.get('quantity'));
    const formId = form.get('order') ?? '';
    if (
      !Number.isInteger(quantity) ||
      quantity < 1 ||
      quantity > QUANTITY_MAX ||
      !isOrderId(formId)
    ) {
      return send(response, 400, 'text/plain', 'This form is not ours.');
    }
    // A second click sends the same form: it must not charge twice.
    const { order, isNew } = this.#orders.forForm(formId, quantity);
    try {
      if (form.get('pay') === 'phone') {
        if (isNew) {
          await this.#chargePhone(order, form.get('phone') ?? '');
        }
        return redirect(response, orderPath(order));
      }
      order.checkoutUrl ??= await this.#createPayment(order);
      // The popup's script wants the address, a plain form a redirect.
      return request.headers.accept === 'application/json'
        ? send(
            response,
            200,
            'application/json',
            JSON.stringify({ checkoutUrl: order.checkoutUrl, orderPath: orderPath(order) }),
          )
        : redirect(response, order.checkoutUrl);
    } catch (error) {
      if (!(error instanceof KefelError)) {
        throw error;
      }
      // Nothing was charged. `validationErrors` names the field that the customer can correct.
      const isPhone = error.validationErrors.phoneNumber !== undefined;
      const problem = isPhone ? TEXTS[visit.language].phoneProblem : error.message;
      return this.#page(response, 400, productPage({ ...visit, path: '/' }, newOrderId(), problem));
    }
  }

  /** A hosted payment: the customer chooses how to pay on the page at the returned address. */
  async #createPayment(order: Order): Promise<string> {
    const { checkoutUrl } = await this.#kefel.payments.create(
      { ...this.#termsOf(order), methods: [] },
      { idempotencyKey: order.idempotencyKey },
    );
    if (!isWebAddress(checkoutUrl)) {
      throw new Error('The gateway did not name the address of a page');
    }
    return checkoutUrl;
  }

  /** An express payment: one method, no page. Here the sandbox confirms it in place of a person. */
  async #chargePhone(order: Order, phoneNumber: string): Promise<void> {
    try {
      const { status } = await this.#kefel.payments.express(
        {
          ...this.#termsOf(order),
          method: 'M_PESA',
          phoneNumber,
          testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
        },
        { idempotencyKey: order.idempotencyKey },
      );
      // SUCCESS means accepted; the webhook tells whether it was paid. FAILURE is final.
      order.status = status === 'FAILURE' ? 'FAILED' : 'PROCESSING';
    } catch (error) {
      // The order waits, and the status call will tell.
      if (!mayHaveCharged(error)) {
        throw error;
      }
    }
  }

  #termsOf(order: Order) {
    return {
      paymentIntentUniqueId: order.id,
      currency: PRODUCT.currency,
      amount: major(order.amountMinor),
      items: [
        {
          name: PRODUCT.name,
          quantity: order.quantity,
          price: major(PRODUCT.priceMinor),
          type: 'PHYSICAL_PRODUCT' as const,
        },
      ],
      commissionPaidByCustomer: true,
      expireIn: EXPIRE_IN_SECONDS,
      returnUrl: this.#url + orderPath(order),
      callbackUrl: `${this.#url}/webhooks`,
    };
  }

  /** POST /webhooks: verify the bytes as they arrived, record, and answer at once. */
  async #receiveWebhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await bodyOf(request);
      const { webhookSecret, merchantId } = this.#settings;
      const webhook = await verifyWebhook(body, request.headers, webhookSecret, {
        merchantId,
        environment: 'sandbox',
      });
      // An event may arrive twice: `record` ignores what it knows.
      this.#orders.record(webhook.payment);
      response.writeHead(204).end();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) {
        throw error;
      }
      send(response, 400, 'text/plain', error.message);
    }
  }

  /** Asks the gateway about an order that waits, if no webhook has told. */
  async #askAbout(order: Order): Promise<void> {
    const nowMs = Date.now();
    const askedAtMs = this.#askedAtMs.get(order.id) ?? 0;
    if (!isWaiting(order) || nowMs - askedAtMs < ASK_EVERY_MS) {
      return;
    }
    this.#askedAtMs.set(order.id, nowMs);
    try {
      this.#orders.record(await this.#kefel.payments.get(order.id));
    } catch (error) {
      // The page asks again.
      console.error(error);
    }
  }

  #page(response: ServerResponse, status: number, html: string): void {
    const { gatewayUrl } = this.#settings;
    // The form leads to the checkout, and the script of the popup comes from there.
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; script-src 'self' ${gatewayUrl}; connect-src 'self'; ` +
        `img-src data:; form-action 'self' ${gatewayUrl}; base-uri 'none'; frame-ancestors 'none'`,
    );
    response.setHeader('cross-origin-opener-policy', 'same-origin-allow-popups');
    send(response, status, 'text/html', html);
  }
}

/** Whether the outcome is still open. */
export function isWaiting({ status }: Order): boolean {
  return status === 'OPEN' || status === 'PROCESSING';
}

/**
 * Whether a try may have reached the gateway and charged. A new order would then charge twice
 * (docs/clients.md#errors).
 */
function mayHaveCharged(error: unknown): boolean {
  return (
    error instanceof KefelConnectionError ||
    (error instanceof KefelError &&
      (error.status >= 500 || error.status === 429 || error.code === 'idempotency_key_in_use'))
  );
}

/** A browser would run what begins with `javascript:`. */
function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isOrderId(text: string): boolean {
  return /^shop-[0-9a-f-]{36}$/.test(text);
}

function orderPath(order: Order): string {
  return `/orders/${order.id}`;
}

/** Back must fetch a new form, so nothing is cached. */
function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
  });
  response.end(body);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      throw new Error('The body is too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Files = ReadonlyMap<string, { readonly type: string; readonly text: string }>;

/** The style sheet uses the colors and sizes of Kefel's own pages. */
async function readFiles(): Promise<Files> {
  const read = (...path: string[]) => readFile(join(import.meta.dirname, ...path), 'utf8');
  const css = (await read('../src/kit/ui/styles/tokens.css')) + (await read('shop.css'));
  return new Map([
    ['/shop.css', { type: 'text/css', text: css }],
    ['/shop.js', { type: 'text/javascript', text: await read('shop.js') }],
  ]);
}
