import { type HttpRequest, jsonPost } from '../../scripts/gateway/http.ts';
import type { CaseName } from './cases.ts';
import { hostedPayment } from './payments.ts';
import type { Receiver } from './receiver.ts';
import { expectAnswer, inTurn, prepareMany, reading, requests, storm, type Work } from './work.ts';

const LISTED = 200;
const CHANGE_BATCH = 200;
const LARGE_BODY = 'x'.repeat(65_000);
/** See KefelWork. */
const RUN = Date.now().toString(36);

/** The same load on the floor's Worker: the least that each case needs of the platform. */
export class FloorWork {
  readonly #url: string;
  readonly #receiver: Receiver;
  readonly #body: string;

  constructor(url: string, receiver: Receiver) {
    this.#url = url;
    this.#receiver = receiver;
    this.#body = hostedPayment('floor', { receiver: receiver.url });
  }

  prepare(name: CaseName, units: number): Promise<Work> | Work {
    switch (name) {
      case 'create':
        return requests(200, (index) => this.#post(`write/${id(index)}`));
      case 'projection':
        return requests(200, (index) => this.#post(`write-and-project/${id(index)}`));
      case 'express':
        return requests(
          200,
          (index) => this.#post(this.#withReceiver(`write/${id(index)}`)),
          'untimed',
        );
      case 'status':
      case 'page':
      case '409':
        return reading(
          200,
          (index) => this.#written(index),
          (written) => this.#get(`read/${written}`),
        );
      case 'list':
        return this.#list();
      case '401':
      case '400':
        return requests(200, () => this.#post('echo'));
      case '404':
        return requests(200, () => this.#get('echo'));
      case '400-64k':
        return requests(200, () => this.#post('echo', LARGE_BODY));
      case '400-id':
      case '404-id':
        return requests(200, (index) => this.#get(`is-empty/${id(index)}`));
      case 'paid':
        return this.#paid(units);
      case 'webhooks':
        return this.#changes(units);
      case 'expiry':
        return this.#storm(units);
      case 'fresh':
        throw new Error('a running server is not fresh');
    }
  }

  async #written(index: number): Promise<string> {
    await expectAnswer(this.#post(`write/${id(index)}`), 200);
    return id(index);
  }

  async #list(): Promise<Work> {
    await prepareMany(LISTED, (index) =>
      expectAnswer(this.#post(`write-and-project/${id(index)}`), 200),
    );
    return requests(200, () => this.#get('list'));
  }

  async #paid(units: number): Promise<Work> {
    const ids = await prepareMany(units, (index) => this.#written(index));
    const next = inTurn(ids);
    const send = (index: number) => {
      const paid = next(index);
      const body = hostedPayment(paid);
      const change = JSON.stringify({ ids: [paid], body });
      return Promise.all([
        this.#receiver.untilArrivalOf(paid),
        expectAnswer(this.#post(this.#withReceiver('change-all'), change), 200),
      ]);
    };
    return { send, unitsPerSend: 1, webhooks: 'none', due: null };
  }

  async #changes(units: number): Promise<Work> {
    const ids = await prepareMany(units, (index) => this.#written(index));
    let sent = 0;
    const change = () => {
      const batch = ids.slice(sent, sent + CHANGE_BATCH);
      sent += CHANGE_BATCH;
      const body = JSON.stringify({ ids: batch, body: this.#body });
      return expectAnswer(this.#post(this.#withReceiver('change-all'), body), 200);
    };
    return { send: change, unitsPerSend: CHANGE_BATCH, webhooks: 'timed', due: null };
  }

  #storm(units: number): Promise<Work> {
    return storm(units, (index, dueAtMs) => {
      // Within the same second, as payments whose expiry counts whole seconds from their creation.
      const alarm = dueAtMs === null ? '' : `?alarmAt=${dueAtMs + (Date.now() % 1_000)}`;
      return expectAnswer(this.#post(`write/${id(index)}${alarm}`), 200);
    });
  }

  #withReceiver(path: string): string {
    return `${path}?receiver=${encodeURIComponent(this.#receiver.url)}`;
  }

  #post(path: string, body = this.#body): HttpRequest {
    return jsonPost(`${this.#url}/${path}`, {}, body);
  }

  #get(path: string): HttpRequest {
    return { method: 'GET', url: `${this.#url}/${path}` };
  }
}

function id(index: number): string {
  return `${RUN}-${index}`;
}
