import { METHODS } from '../../src/engine/domain/method.ts';
import { operatorSecret } from '../harness/operator.ts';
import { until } from '../harness/until.ts';
import { wireAmount } from '../harness/wire-amount.ts';
import { formsIn, linksIn } from './html.ts';
import type { Stage } from './stage.ts';
import { COOKIE, PRODUCTION_KEY, SANDBOX_KEY } from './template.ts';

/** Plays every user of the gateway, through the recorder. */

const PAGES_MAX = 150;
const PHONE = '0911223344';
/** M-PESA's customers have numbers of Safaricom. */
const SAFARICOM_PHONE = '0711223344';

export class Users {
  readonly #stage: Stage;
  #payments = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async playAll(): Promise<void> {
    await this.#sandboxMerchant();
    await this.#productionMerchant();
    await this.#member();
    await this.#operator();
  }

  /** Payments in the sandbox in every state, each call of the API, and the customer's pages. */
  async #sandboxMerchant(): Promise<void> {
    const api = (method: string, path: string, body?: object) =>
      this.#api(SANDBOX_KEY, method, `sandbox/${path}`, body);
    const paid = this.#newId();
    const express = { ...this.#express(paid, 'TELE_BIRR', 100), testMode: SIMULATED };
    const repeatable = { 'idempotency-key': 'k' };
    await this.#api(SANDBOX_KEY, 'POST', 'express/sandbox/pay', express, repeatable);
    const open = this.#newId();
    const checkoutUrl = await contentOf(await api('POST', 'intent', this.#hosted(open)));
    await this.#customer(checkoutUrl);
    const canceled = this.#newId();
    await api('POST', 'intent', this.#hosted(canceled));
    await api('POST', `intent/cancel/${canceled}`);
    await this.#untilPaid(SANDBOX_KEY, `sandbox/intent/${paid}`);
    const refund = { paymentIntentUniqueId: paid, refundUniqueId: 'r1', amountMinor: 1_000 };
    await api('POST', 'refund', refund);
    await api('POST', 'refund', { paymentIntentUniqueId: paid, refundUniqueId: 'r2' });
    await api('POST', 'refund/r2/cancel');
    for (const path of [
      ...['refund/r1', 'refunds?limit=2&status=SUCCESS', `checkout/${open}`, 'webhook-keys'],
      ...['intents?limit=2&status=SUCCESS&metadata%5Border%5D=1', 'events/stream'],
    ]) {
      await api('GET', path);
    }
    await api('POST', 'events/resend', { since: new Date().toISOString() });
    const events = await api('GET', 'events?limit=2');
    const eventId = /evt_[\w-]+/.exec(await events.text())?.[0] ?? 'evt_1';
    await api('GET', `events/${eventId}`);
    await api('POST', `events/${eventId}/resend`);
    const endpoint = { url: 'https://shop.example.com/hook', eventTypes: ['PAYMENT_SUCCESS'] };
    const created = await (await api('POST', 'webhook-endpoints', endpoint)).text();
    const endpointId = /we_[\w-]+/.exec(created)?.[0] ?? 'we_1';
    await api('GET', 'webhook-endpoints');
    await api('GET', `webhook-endpoints/${endpointId}`);
    await api('PATCH', `webhook-endpoints/${endpointId}`, { description: 'Warehouse' });
    await api('POST', `webhook-endpoints/${endpointId}/secret`, { overlapHours: 1 });
    await this.#api(SANDBOX_KEY, 'GET', 'banks');
  }

  /** A payment by each rail: one that its customer pays, with a refund, and one that waits. */
  async #productionMerchant(): Promise<void> {
    const api = (method: string, path: string, body?: object) =>
      this.#api(PRODUCTION_KEY, method, path, body);
    for (const [index, method] of METHODS.entries()) {
      const standIn = this.#stage.standIns.byMethod[method];
      for (const [act, amount] of [
        ['pays', 100 + index],
        ['declines', 200 + index],
        [null, 300 + index],
      ] as const) {
        if (act !== null) {
          standIn.plan(wireAmount(standIn, amount * 100), { act });
        }
        const id = this.#newId();
        const answer = await api('POST', 'express/pay', this.#express(id, method, amount));
        const { paymentUrl = null } = JSON.parse((await answer.text()) || '{}').content ?? {};
        if (act !== null && paymentUrl !== null) {
          await (await fetch(paymentUrl)).body?.cancel();
        }
        if (act === 'pays') {
          await this.#untilPaid(PRODUCTION_KEY, `intent/${id}`);
          const refund = { paymentIntentUniqueId: id, refundUniqueId: `refund-${id}` };
          await api('POST', 'refund', { ...refund, amountMinor: 5_000 });
        }
      }
    }
    const url = await contentOf(await api('POST', 'intent', this.#hosted(this.#newId())));
    await this.#customer(url);
  }

  /** Opens the checkout page and what belongs to it, chooses a method, and decides. */
  async #customer(checkoutUrl: string): Promise<void> {
    const path = new URL(checkoutUrl).pathname;
    await this.#send('GET', path, { 'accept-language': 'am' });
    for (const part of ['status', 'qr.svg', 'returned', 'attempts']) {
      await this.#send('GET', `${path}/${part}`);
    }
    const choice = { method: 'M_PESA', phone: PHONE, attempts: '0' };
    const chosen = await this.#post(`${path}/attempts`, choice);
    const simulator = chosen.headers.get('location') ?? '';
    if (simulator.includes('/simulator/')) {
      const token = simulator.split('/simulator/')[1] ?? '';
      await this.#send('GET', `/simulator/${token}`);
      await this.#post(`/rails/simulator/${token}`, { outcome: 'decline' });
    }
    await this.#post(`${path}/abandon`, { attempt: '1' });
    await this.#post(`${path}/returned`, {});
    await this.#post(`${path}/give-up`, {});
  }

  /** Opens every kind of page of the dashboard. Its forms are filled in, not posted. */
  async #member(): Promise<void> {
    const headers = { cookie: `kefel_session=${this.#stage.credentials[COOKIE]}` };
    await this.#crawl('/dashboard', headers);
  }

  async #operator(): Promise<void> {
    const { merchantId } = this.#stage;
    const secret = await operatorSecret();
    const authorization = `Bearer ${secret}`;
    await this.#crawl('/operator', { authorization });
    const headers = { authorization, 'content-type': 'application/json' };
    const api = (method: string, path: string, body?: object) =>
      this.#send(method, `/operator/v1/${path}`, headers, body && JSON.stringify(body));
    const merchant = `merchants/${merchantId}`;
    const payment = `payments/sandbox/${merchantId}/fuzz-1`;
    for (const path of [
      ...['health', 'rails', 'attention', 'merchants?limit=2', merchant, `${merchant}/members`],
      ...['banks', payment, 'dead-letters?limit=2', 'dead-letters/1'],
    ]) {
      await api('GET', path);
    }
    const reason = 'Because of a test';
    const posts: readonly (readonly [path: string, body: object])[] = [
      ['merchants', { name: 'Another', id: 'another', methods: ['CBE'] }],
      ['merchants/another/rename', { name: 'Renamed' }],
      [`${merchant}/app-schemes`, { schemes: ['myshop'] }],
      [`${merchant}/refund-limits`, { refundAgeDaysMax: 365, refundDailyMaxMinor: null }],
      ['merchants/another/suspend', { reason }],
      ['merchants/another/reactivate', { reason }],
      [`${merchant}/invitations`, { name: 'Sara', role: 'viewer' }],
      [`${merchant}/members/mem_fuzz99/recovery`, {}],
      [`${merchant}/sandbox/methods/CBE/offer`, { offered: true }],
      [`${merchant}/sandbox/methods/CBE/commission`, { basisPoints: 250, fixedMinor: 0 }],
      [`${merchant}/sandbox/limits/ETB`, { amountMinorMax: 90_000_000_000 }],
      ['banks', { code: 'FUZZ', name: 'A bank', supportsWithdrawal: true }],
      ['banks/FUZZ', { name: 'The bank' }],
      [`${payment}/review`, { note: reason }],
      [`${payment}/attempts/REF/resolve`, { outcome: 'succeeded', receipt: 'R1', note: reason }],
      [`${payment}/refunds/r1/resolve`, { outcome: 'returned', reference: 'R1', note: reason }],
      ['dead-letters/retry', { ids: ['1'] }],
      ['dead-letters/discard', { ids: ['1'], reason }],
      [`books/sandbox/${merchantId}/rebuild`, { limit: 2 }],
    ];
    for (const [path, body] of posts) {
      await api('POST', path, body);
    }
  }

  /** Visits each kind of page once, and records the forms on it as if they were posted. */
  async #crawl(start: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const waiting = [start];
    const visited = new Set<string>();
    while (waiting.length > 0 && visited.size < PAGES_MAX) {
      const target = waiting.shift() ?? start;
      const kind = kindOf(target);
      if (visited.has(kind)) {
        continue;
      }
      visited.add(kind);
      const answer = await this.#send('GET', target, headers);
      const html = await answer.text();
      const location = answer.headers.get('location');
      const links = [...linksIn(html), ...(location === null ? [] : [location])]
        .map((link) => new URL(link, this.#stage.recorder.origin + target))
        .filter(({ origin, pathname }) => {
          return origin === this.#stage.recorder.origin && pathname.startsWith(start);
        });
      waiting.push(...links.map(({ pathname, search }) => pathname + search));
      for (const { method, action, fields } of formsIn(html)) {
        const { pathname, search } = new URL(action, this.#stage.recorder.origin + target);
        const text = new URLSearchParams([...fields]).toString();
        const isPost = method === 'POST';
        this.#stage.recorder.recorded.push({
          method,
          target: isPost ? pathname + search : `${pathname}?${text}`,
          headers: isPost ? { ...headers, 'content-type': FORM_TYPE } : headers,
          body: isPost ? Buffer.from(text) : null,
        });
      }
    }
  }

  async #untilPaid(key: Key, path: string): Promise<void> {
    await until(`payment at ${path}`, async () =>
      (await (await this.#api(key, 'GET', path)).text()).includes('"status":"SUCCESS"'),
    );
  }

  #api(
    key: Key,
    method: string,
    path: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { apikey: this.#stage.credentials[key], ...json, ...more };
    return this.#send(method, `/api/v1/payment/${path}`, headers, body && JSON.stringify(body));
  }

  #post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    const text = new URLSearchParams(fields).toString();
    return this.#send('POST', path, { 'content-type': FORM_TYPE }, text);
  }

  /** The stream of events never ends, so its answer is left unread. */
  #send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<Response> {
    const url = this.#stage.recorder.origin + target;
    return fetch(url, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
  }

  /** The same ids in each run. */
  #newId(): string {
    this.#payments += 1;
    return `fuzz-${this.#payments}`;
  }

  #hosted(paymentIntentUniqueId: string) {
    return { ...this.#terms(paymentIntentUniqueId), amount: 100, methods: [] };
  }

  #express(paymentIntentUniqueId: string, method: string, amount: number) {
    const phoneNumber = method === 'M_PESA' ? SAFARICOM_PHONE : PHONE;
    return { ...this.#terms(paymentIntentUniqueId), amount, method, phoneNumber };
  }

  #terms(paymentIntentUniqueId: string) {
    return {
      paymentIntentUniqueId,
      currency: 'ETB',
      returnUrl: 'https://shop.example.com/done',
      expireIn: 86_400,
      commissionPaidByCustomer: false,
      customerInfo: { phone: '911223344', name: 'Abebe', email: 'abebe@example.com' },
      metadata: { order: '1' },
    };
  }
}

type Key = typeof SANDBOX_KEY | typeof PRODUCTION_KEY;

const FORM_TYPE = 'application/x-www-form-urlencoded';
const SIMULATED = { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' };

/** The path without what names one thing: ids have digits. */
function kindOf(target: string): string {
  const [path = '', query = ''] = target.split('?');
  const names = [...new URLSearchParams(query).keys()].sort();
  return `${path.replaceAll(/\/[^/]*\d[^/]*/g, '/:id')}?${names}`;
}

async function contentOf(answer: Response): Promise<string> {
  const { content } = JSON.parse(await answer.text());
  return String(content);
}
