import { setTimeout as wait } from 'node:timers/promises';
import type { HttpRequest } from '../../scripts/gateway/http.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import {
  abandonAttempt,
  type CheckoutPage,
  checkoutPage,
  chooseMethod,
  decide,
  giveUp,
} from '../harness/customer.ts';
import type { MerchantApi } from '../harness/merchant-api.ts';
import { type Caller, contentOf, TRIES_MAX, Unexpected } from './caller.ts';
import type { PaymentRecord } from './observations.ts';
import type { Step } from './plan.ts';
import { settleAtProvider } from './provider-steps.ts';
import { refundAsPlanned } from './refund-steps.ts';
import type { Scene } from './scene.ts';

const THINKING_MS_MAX = 100;
/** Maximum of started and abandoned attempts per payment; the gateway allows ten. */
const CONNECTS_MAX = 8;

/** One payment from create to end. Merchant and customer retry requests without an answer. */
export class Journey {
  readonly #scene: Scene;
  readonly #caller: Caller;
  readonly #record: PaymentRecord;
  readonly #api: MerchantApi;
  readonly #createRequest: HttpRequest;

  constructor(scene: Scene, record: PaymentRecord) {
    this.#scene = scene;
    this.#caller = scene.caller;
    this.#record = record;
    const { environment, kind, body, idempotencyKey } = record.plan;
    this.#api = scene.caller.api(environment);
    const path = kind === 'hosted' ? 'intent' : 'express/pay';
    this.#createRequest = this.#api.postJson(path, body, idempotencyKey);
  }

  run(): Promise<void> {
    return this.#observing(async () => {
      const { plan } = this.#record;
      const answer = await this.#create();
      if (answer === null) {
        return;
      }
      this.#record.createAnswer = answer;
      this.#count(`created: ${plan.name}`);
      if (plan.answered !== undefined && !answer.includes(`"status":"${plan.answered}"`)) {
        throw new Unexpected(`express answered ${answer}`);
      }
      for (const [index, step] of plan.steps.entries()) {
        await this.#think();
        if (!(await this.#take(step, plan.methods[index] ?? plan.methods[0]))) {
          this.#record.isStuck = true;
          return;
        }
      }
      // The gateway has answered every step of the story.
      this.#record.acknowledgedStatus = plan.status;
      await refundAsPlanned(this.#scene, this.#record);
    });
  }

  /**
   * Sends an acknowledged create again: the gateway must replay its first answer, byte for byte
   * (docs/decisions.md#8).
   */
  replay(): Promise<void> {
    return this.#observing(async () => {
      const { plan, createAnswer } = this.#record;
      if (!plan.isReplayed || createAnswer === null) {
        return;
      }
      const hasKey = plan.idempotencyKey !== null;
      const { body, headers } = await this.#caller.expect(this.#createRequest, hasKey ? 200 : 409);
      this.#count(hasKey ? 'replayed with its key' : 'retried without a key');
      const isReplay = headers['idempotent-replayed'] === 'true' && body === createAnswer;
      if (hasKey && !isReplay) {
        throw new Unexpected(`replay: ${body}, first answer: ${createAnswer}`);
      }
    });
  }

  /** Records the gateway's errors; throws only for bugs in this script. */
  async #observing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Unexpected)) {
        throw error;
      }
      this.#scene.observed.violation(this.#record, error.message);
    }
  }

  /** The body of the first 200; null when the payment exists but its answer was lost. */
  async #create(): Promise<string | null> {
    const { plan } = this.#record;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await this.#caller.try(this.#createRequest);
      if (answer === null) {
        this.#count('create answers lost');
        if (plan.idempotencyKey === null && (await this.#existsUnanswered())) {
          return null;
        }
        continue;
      }
      const { status, headers, body } = answer;
      if (status === 200) {
        if (tries > 0) {
          const isReplay = headers['idempotent-replayed'] === 'true';
          this.#count(`lost create: ${isReplay ? 'was stored' : 'created by the retry'}`);
        }
        return body;
      }
      if (status !== 409 || headers['retry-after'] === undefined || tries === 0) {
        throw new Unexpected(`create answered ${status} ${body}`);
      }
      // The gateway died after the first request's commit: a retry waits until its lock expires.
      this.#count('retries that had to wait');
      await wait(Number(headers['retry-after']) * 1_000);
    }
    throw new Unexpected('create was never answered');
  }

  /** Without a key, only the status call shows the payment. A retried create must then get a 409. */
  async #existsUnanswered(): Promise<boolean> {
    const { plan } = this.#record;
    const read = this.#api.get(`intent/${plan.uniqueId}`);
    const { status } = await this.#caller.expect(read, 200, 404);
    const isStored = status === 200;
    this.#count(`lost create without key: ${isStored ? 'complete' : 'absent'}`);
    if (isStored) {
      this.#record.isOrphan = true;
      this.#record.acknowledgedStatus = plan.steps.length === 0 ? plan.status : null;
      await this.#caller.expect(this.#createRequest, 409);
    }
    return isStored;
  }

  /** False when a kill has made the step impossible. */
  async #take(step: Step, method: Method): Promise<boolean> {
    const { plan } = this.#record;
    switch (step) {
      case 'approve':
      case 'decline':
      case 'give_up': {
        const simulator = await (plan.kind === 'express'
          ? this.#expressSimulator()
          : this.#connect(method));
        if (simulator === null) {
          this.#count('NOTE express killed before the rail answered: no way to pay it');
          return false;
        }
        await this.#page(simulator);
        await this.#think();
        await this.#caller.expect(decide(simulator, step), 303);
        return true;
      }
      case 'leave':
        await this.#caller.expect(giveUp(this.#created()), 303);
        return true;
      case 'cancel':
        if (plan.isCanceledByMember) {
          await this.#scene.member.cancel(plan);
          this.#count('cancellations by the dashboard');
        } else {
          await this.#caller.expect(this.#api.post(`intent/cancel/${plan.uniqueId}`), 200);
        }
        return true;
      case 'pays':
      case 'declines':
        return settleAtProvider(this.#scene, this.#record, step);
    }
  }

  /** Reads the payment's page if the express call died before it had the simulator's URL. */
  async #expressSimulator(): Promise<string | null> {
    const { paymentUrl } = this.#created<{ paymentUrl: string }>();
    const isSimulator = paymentUrl.includes('/simulator/');
    return isSimulator ? paymentUrl : (await this.#page(paymentUrl)).simulatorUrl;
  }

  /** Chooses a method until the gateway redirects to a simulator's page; returns its URL. */
  async #connect(method: Method): Promise<string> {
    const checkoutUrl: string = this.#created();
    for (let tries = 0; tries < CONNECTS_MAX; tries += 1) {
      // Without the form, the page shows an attempt in flight, and the post redirects to it.
      const { attempts } = await this.#page(checkoutUrl);
      const choice = { method, phone: '911223344', attempts: attempts ?? 0 };
      await this.#think();
      const chosen = await this.#caller.expect(chooseMethod(checkoutUrl, choice), 303);
      const location = new URL(chosen.headers.location ?? '', checkoutUrl).href;
      if (location.includes('/simulator/')) {
        if (this.#connected.has(location)) {
          throw new Unexpected('a declined attempt was offered again');
        }
        this.#connected.add(location);
        return location;
      }
      await this.#abandon(checkoutUrl);
    }
    throw new Unexpected('the gateway never redirected to the simulator');
  }

  readonly #connected = new Set<string>();

  /** An attempt has no page if the gateway died between its start and the rail's answer. */
  async #abandon(checkoutUrl: string): Promise<void> {
    const { attemptId } = await this.#page(checkoutUrl);
    if (attemptId === null) {
      this.#count('NOTE attempt without a page, not abandonable: retried');
      return;
    }
    this.#count('attempts without a page: abandoned by the customer');
    await this.#caller.expect(abandonAttempt(checkoutUrl, attemptId), 303);
  }

  async #page(url: string): Promise<CheckoutPage> {
    return checkoutPage((await this.#caller.expect({ method: 'GET', url }, 200)).body);
  }

  #think(): Promise<void> {
    return wait(this.#record.plan.random.between(0, THINKING_MS_MAX));
  }

  /** The answer to the create: of a hosted payment, the URL of its page. */
  #created<Content = string>(): Content {
    return contentOf({ body: this.#record.createAnswer ?? '{}' });
  }

  #count(what: string): void {
    this.#scene.observed.count(what);
  }
}
