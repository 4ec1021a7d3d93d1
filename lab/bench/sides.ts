import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { type HttpRequest, jsonPost } from '../../scripts/gateway/http.ts';
import { chooseMethod, decide } from '../harness/customer.ts';
import { MerchantApi } from '../harness/merchant-api.ts';
import type { Receiver } from './receiver.ts';
import { expectAnswer } from './work.ts';

/** Ids of an earlier process must not come again: its payments may be in the same database. */
const RUN = Date.now().toString(36);
/** Longer than a run. */
const LONG_EXPIRY_SECONDS = 86_400;

export function idOf(index: number): string {
  return `${RUN}-${index}`;
}

/** The requests of one merchant's server and that merchant's customers to Kefel. */
export class KefelSide {
  readonly api: MerchantApi;
  /** With an invented key. */
  readonly stranger: MerchantApi;
  readonly receiver: Receiver;

  constructor(merchant: DemoMerchant, receiver: Receiver) {
    // As long as a genuine key and with its alphabet, but with another checksum.
    const { sandboxApiKey: key } = merchant;
    const sandboxApiKey = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    this.api = new MerchantApi(merchant, 'sandbox');
    this.stranger = new MerchantApi({ ...merchant, sandboxApiKey }, 'sandbox');
    this.receiver = receiver;
  }

  /** A typical create: an item, all methods, a URL to return to. */
  hosted(index: number, otherFields: object = {}, api = this.api): HttpRequest {
    return api.postJson('intent', {
      paymentIntentUniqueId: idOf(index),
      currency: 'ETB',
      amount: 150.5,
      items: [{ name: 'Coffee', quantity: 1, type: 'PHYSICAL_PRODUCT', price: 150.5 }],
      methods: [],
      commissionPaidByCustomer: true,
      expireIn: LONG_EXPIRY_SECONDS,
      returnUrl: 'https://shop.example/thanks',
      callbackUrl: this.receiver.url,
      ...otherFields,
    });
  }

  /** The sandbox lets it succeed. */
  express(index: number): HttpRequest {
    return this.api.postJson('express/pay', {
      paymentIntentUniqueId: idOf(index),
      currency: 'ETB',
      amount: 150.5,
      method: 'CBE',
      phoneNumber: '0911234567',
      commissionPaidByCustomer: true,
      expireIn: LONG_EXPIRY_SECONDS,
      callbackUrl: this.receiver.url,
      testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    });
  }

  /** Creates a payment. Returns the address of its page. */
  async created(index: number): Promise<string> {
    const { body } = await expectAnswer(this.hosted(index), 200);
    const { content }: { content: string } = JSON.parse(body);
    return content;
  }

  /** Creates a payment that waits in the simulator. */
  async connected(index: number) {
    const page = await this.created(index);
    const attempt = chooseMethod(page, { method: 'TELE_BIRR', attempts: 0 });
    const { headers } = await expectAnswer(attempt, 303);
    const simulator = new URL(headers.location ?? '', page).href;
    return { id: idOf(index), request: decide(simulator, 'approve') };
  }

  /** How many payments the API's list has, on all of its pages. */
  async listedPayments(): Promise<number> {
    let listed = 0;
    let query = '?limit=100';
    for (;;) {
      const { body } = await expectAnswer(this.api.get(`intents${query}`), 200);
      const { content }: { content: ListedPage } = JSON.parse(body);
      listed += content.data.length;
      if (content.nextCursor === null) {
        return listed;
      }
      query = `?limit=100&cursor=${encodeURIComponent(content.nextCursor)}`;
    }
  }
}

interface ListedPage {
  readonly data: readonly unknown[];
  readonly nextCursor: string | null;
}

const FLOOR_BODY_BYTES = 300;

/** The requests to the floor's Worker. */
export class FloorSide {
  readonly receiver: Receiver;
  readonly #url: string;

  constructor(url: string, receiver: Receiver) {
    this.#url = url;
    this.receiver = receiver;
  }

  post(path: string, body = this.bodyOf('floor')): HttpRequest {
    return jsonPost(`${this.#url}/${path}`, {}, body);
  }

  get(path: string): HttpRequest {
    return { method: 'GET', url: `${this.#url}/${path}` };
  }

  /** Writes an object, which sends the receiver a message if `hasWebhook`. */
  write(index: number, hasWebhook = false): HttpRequest {
    return this.post(`write/${idOf(index)}${hasWebhook ? this.#withReceiver : ''}`);
  }

  /** Changes objects. Each change makes its object send the receiver a message. */
  change(ids: readonly string[]): HttpRequest {
    const body = JSON.stringify({ ids, body: this.bodyOf(ids[0] ?? '') });
    return this.post(`change-all${this.#withReceiver}`, body);
  }

  async written(index: number): Promise<string> {
    await expectAnswer(this.write(index), 200);
    return idOf(index);
  }

  /** About as long as a hosted create's. */
  bodyOf(paymentIntentUniqueId: string): string {
    const filling = 'x'.repeat(FLOOR_BODY_BYTES);
    return JSON.stringify({ paymentIntentUniqueId, receiver: this.receiver.url, filling });
  }

  get #withReceiver(): string {
    return `?receiver=${encodeURIComponent(this.receiver.url)}`;
  }
}
