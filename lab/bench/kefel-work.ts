import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import type { HttpRequest } from '../../scripts/gateway/http.ts';
import { chooseMethod, decide } from '../harness/customer.ts';
import { MerchantApi } from '../harness/merchant-api.ts';
import type { CaseName } from './cases.ts';
import { expressPayment, hostedPayment } from './payments.ts';
import type { Receiver } from './receiver.ts';
import { stormTime } from './storm-time.ts';
import { expectAnswer, inTurn, newIndex, prepareMany, requests, type Work } from './work.ts';

/** Ids of an earlier process must not come again: its payments may be in the same database. */
const RUN = Date.now().toString(36);

/** Payments that a reading round reads in turn, each in an object of its own. */
const PAYMENTS_READ = 200;
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
        return this.#status();
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
        return this.#taken();
      case 'page':
        return this.#page();
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

  async #status(): Promise<Work> {
    const ids = await prepareMany(PAYMENTS_READ, async (index) => {
      await expectAnswer(this.#hosted(index), 200);
      return uniqueId(index);
    });
    const id = inTurn(ids);
    return requests(200, (index) => this.#api.get(`intent/${id(index)}`));
  }

  async #list(): Promise<Work> {
    await prepareMany(PAYMENTS_READ, (index) => expectAnswer(this.#hosted(index), 200));
    return requests(200, () => this.#api.get('intents'));
  }

  async #taken(): Promise<Work> {
    const creates = await prepareMany(PAYMENTS_READ, async (index) => {
      const create = this.#hosted(index);
      await expectAnswer(create, 200);
      return create;
    });
    return requests(409, inTurn(creates));
  }

  async #page(): Promise<Work> {
    const links = await prepareMany(PAYMENTS_READ, async (index) => {
      const { body } = await expectAnswer(this.#hosted(index), 200);
      const { content }: { content: string } = JSON.parse(body);
      return content;
    });
    const link = inTurn(links);
    return requests(200, (index) => ({ method: 'GET', url: link(index) }));
  }

  /** Payments that wait in the simulator; approving one ends with its webhook. */
  async #paid(units: number): Promise<Work> {
    const payments = await prepareMany(units, async (index) => {
      const { body } = await expectAnswer(this.#hosted(index), 200);
      const { content }: { content: string } = JSON.parse(body);
      const attempt = chooseMethod(content, { method: 'TELE_BIRR', attempts: 0 });
      const { headers } = await expectAnswer(attempt, 303);
      const page = new URL(headers.location ?? '', content).href;
      return { id: uniqueId(index), approval: decide(page, 'approve') };
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
  async #storm(units: number): Promise<Work> {
    const atMs = await stormTime(units, () => expectAnswer(this.#hosted(newIndex()), 200));
    await prepareMany(units, (index) => {
      const expireIn = Math.ceil((atMs - Date.now()) / 1_000);
      return expectAnswer(this.#hosted(index, { expireIn, callbackUrl: this.#receiver.url }), 200);
    });
    return {
      send: async () => undefined,
      unitsPerSend: 0,
      webhooks: 'timed',
      due: { atMs, units },
    };
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
