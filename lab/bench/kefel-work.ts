import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import type { HttpRequest } from '../../scripts/gateway/http.ts';
import { chooseMethod, decide } from '../harness/customer.ts';
import { MerchantApi } from '../harness/merchant-api.ts';
import type { CaseName } from './cases.ts';
import { expressPayment, hostedPayment } from './payments.ts';
import type { Receiver } from './receiver.ts';
import { expectAnswer, inTurn, prepareMany, reading, requests, storm, type Work } from './work.ts';

/** Ids of an earlier process must not come again: its payments may be in the same database. */
const RUN = Date.now().toString(36);

const LISTED = 200;
/** What one call for missed events sends at most (docs/lists.md#catching-up). */
const RESEND_BATCH = 200;
const LARGE_BODY_BYTES = 65_000;

/** The load on Kefel, as one merchant's server and that merchant's customers. */
export class KefelWork {
  readonly #api: MerchantApi;
  readonly #stranger: MerchantApi;
  readonly #receiver: Receiver;

  constructor(url: string, merchant: DemoMerchant, receiver: Receiver) {
    // As long as a genuine key and with its alphabet, but with another checksum.
    const { sandboxApiKey: key } = merchant;
    const sandboxApiKey = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    this.#api = new MerchantApi({ ...merchant, baseUrl: url }, 'sandbox');
    this.#stranger = new MerchantApi({ ...merchant, baseUrl: url, sandboxApiKey }, 'sandbox');
    this.#receiver = receiver;
  }

  /** Prepares what the case needs; `units` for cases whose units are prepared. */
  prepare(name: CaseName, units: number): Promise<Work> | Work {
    switch (name) {
      case 'create':
      case 'projection':
        return requests(200, (index) => this.#hosted(index));
      case 'express':
        return requests(200, (index) => this.#express(index), 'untimed');
      case 'status':
        return reading(
          200,
          (index) => this.#created(index).then(() => uniqueId(index)),
          (id) => this.#api.get(`intent/${id}`),
        );
      case 'list':
        return this.#list();
      case '401':
        return requests(401, (index) => this.#hosted(index, {}, this.#stranger));
      case '400':
        return requests(400, () => this.#api.postJson('intent', '{"amount":0}'));
      case '400-64k':
        return requests(400, () => this.#api.postJson('intent', LARGE_BODY));
      case '400-id':
        return requests(400, (index) => this.#hosted(index, { currency: 'XYZ' }));
      case '404':
        return requests(404, (index) => this.#api.get(`nothing/${index}`));
      case '404-id':
        return requests(404, (index) => this.#api.get(`intent/${RUN}-missing-${index}`));
      case '409':
        return reading(
          409,
          (index) => this.#created(index).then(() => this.#hosted(index)),
          (create) => create,
        );
      case 'page':
        return reading(
          200,
          (index) => this.#created(index),
          (url) => ({ method: 'GET', url }),
        );
      case 'paid':
        return this.#paid(units);
      case 'webhooks':
        return this.#missedWebhooks(units);
      case 'expiry':
        return this.#storm(units);
      case 'fresh':
        throw new Error('a running server is not fresh');
    }
  }

  async #list(): Promise<Work> {
    await prepareMany(LISTED, (index) => expectAnswer(this.#hosted(index), 200));
    return requests(200, () => this.#api.get('intents'));
  }

  /** Returns the address of the payment's page. */
  async #created(index: number): Promise<string> {
    const { body } = await expectAnswer(this.#hosted(index), 200);
    const { content }: { content: string } = JSON.parse(body);
    return content;
  }

  /** Payments that wait in the simulator; approving one ends with its webhook. */
  async #paid(units: number): Promise<Work> {
    const payments = await prepareMany(units, async (index) => {
      const page = await this.#created(index);
      const attempt = chooseMethod(page, { method: 'TELE_BIRR', attempts: 0 });
      const { headers } = await expectAnswer(attempt, 303);
      const simulator = new URL(headers.location ?? '', page).href;
      return { id: uniqueId(index), approval: decide(simulator, 'approve') };
    });
    const next = inTurn(payments);
    const send = (index: number) => {
      const { id, approval } = next(index);
      return Promise.all([this.#receiver.untilArrivalOf(id), expectAnswer(approval, 303)]);
    };
    return { send, unitsPerSend: 1, webhooks: 'none', due: null };
  }

  /** Events whose first try failed wait, then one call for each 200 sends them again. */
  async #missedWebhooks(units: number): Promise<Work> {
    const since = new Date().toISOString();
    const arrivedBefore = this.#receiver.arrived;
    this.#receiver.isDown = true;
    await prepareMany(units, (index) => expectAnswer(this.#express(index), 200));
    await this.#receiver.untilArrived(arrivedBefore + units);
    this.#receiver.isDown = false;
    let cursor: string | null = null;
    const resend = async () => {
      const body = cursor === null ? { since } : { since, cursor };
      const answer = await expectAnswer(this.#api.postJson('events/resend', body), 200);
      const { content }: { content: { resent: number; nextCursor: string | null } } = JSON.parse(
        answer.body,
      );
      if (content.resent !== RESEND_BATCH) {
        throw new Error(`Of ${RESEND_BATCH} events, ${content.resent} were sent again`);
      }
      cursor = content.nextCursor;
    };
    return { send: resend, unitsPerSend: RESEND_BATCH, webhooks: 'timed', due: null };
  }

  /** Payments that expire within the same second. */
  #storm(units: number): Promise<Work> {
    return storm(units, (index, dueAtMs) => {
      const expiry = dueAtMs !== null && {
        expireIn: Math.ceil((dueAtMs - Date.now()) / 1_000),
      };
      return expectAnswer(this.#hosted(index, { ...expiry }), 200);
    });
  }

  #hosted(index: number, otherFields: object = {}, api = this.#api): HttpRequest {
    const body = hostedPayment(uniqueId(index), {
      callbackUrl: this.#receiver.url,
      ...otherFields,
    });
    return api.postJson('intent', body);
  }

  #express(index: number): HttpRequest {
    const body = expressPayment(uniqueId(index), this.#receiver.url);
    return this.#api.postJson('express/pay', body);
  }
}

function uniqueId(index: number): string {
  return `${RUN}-${index}`;
}

const LARGE_ITEM = { name: 'Coffee', quantity: 0, type: 'PHYSICAL_PRODUCT', price: 150.5 };

/** Every item has an error. */
const LARGE_BODY = JSON.stringify({
  items: Array.from(
    { length: Math.floor(LARGE_BODY_BYTES / (JSON.stringify(LARGE_ITEM).length + 1)) },
    () => LARGE_ITEM,
  ),
});
