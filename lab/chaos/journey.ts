import { setTimeout as wait } from 'node:timers/promises';
import type { HttpAnswer, HttpRequest } from '../../scripts/gateway/http.ts';
import type { StandIns } from '../../scripts/stand-ins/start-all.ts';
import type { Method } from '../../src/domain/method.ts';
import {
  abandonAttempt,
  type CheckoutPage,
  type CustomerChoice,
  checkoutPage,
  chooseMethod,
  decide,
  giveUp,
} from '../harness/customer.ts';
import type { MerchantApi } from '../harness/merchant-api.ts';
import { type Caller, TRIES_MAX, Unexpected } from './caller.ts';
import type { Member } from './member.ts';
import type { Observations, PaymentRecord } from './observations.ts';
import { ENDS_BY_ITSELF, FINAL_STATUS } from './plan.ts';
import { settleAtProvider } from './provider-steps.ts';
import { refundAsPlanned } from './refund-steps.ts';

const THINKING_MS_MAX = 100;
/** Maximum of started and abandoned attempts per payment; the gateway allows ten. */
const CONNECTS_MAX = 8;

/** Who and what a payment meets. */
export interface Scene {
  readonly caller: Caller;
  readonly member: Member;
  readonly standIns: StandIns;
  readonly observed: Observations;
}

/** One payment from create to end. Merchant and customer retry requests without an answer. */
export class Journey {
  readonly #scene: Scene;
  readonly #caller: Caller;
  readonly #observed: Observations;
  readonly #record: PaymentRecord;
  readonly #api: MerchantApi;

  constructor(scene: Scene, record: PaymentRecord) {
    this.#scene = scene;
    this.#caller = scene.caller;
    this.#observed = scene.observed;
    this.#record = record;
    this.#api = scene.caller.api(record.plan.environment);
  }

  /** Records the gateway's errors; throws only for bugs in this script. */
  async run(): Promise<void> {
    const { plan } = this.#record;
    try {
      const answer = await this.#create();
      if (answer === null) {
        return;
      }
      this.#record.createAnswer = answer;
      this.#observed.count(`created: ${plan.story}`);
      await this.#follow(answer);
    } catch (error) {
      if (!(error instanceof Unexpected)) {
        throw error;
      }
      this.#observed.violation(this.#record, error.message);
    }
  }

  /**
   * Sends an acknowledged create again: the gateway must replay its first answer, byte for byte
   * (docs/decisions.md#8).
   */
  async replay(): Promise<void> {
    const { plan, createAnswer } = this.#record;
    if (!plan.isReplayed || createAnswer === null) {
      return;
    }
    const answer = await this.#caller.insist(this.#createRequest());
    const isReplay = answer.status === 200 && answer.headers['idempotent-replayed'] === 'true';
    if (plan.idempotencyKey === null) {
      this.#observed.count('retried without a key');
      if (answer.status !== 409) {
        this.#observed.violation(this.#record, `a reused id answered ${answer.status}`);
      }
      return;
    }
    this.#observed.count('replayed with its key');
    if (!isReplay || answer.body !== createAnswer) {
      this.#observed.violation(
        this.#record,
        `replay: ${answer.status} ${answer.body}, first answer: ${createAnswer}`,
      );
    }
  }

  /** The body of the first 200; null when the payment exists but its answer was lost. */
  async #create(): Promise<string | null> {
    const { plan } = this.#record;
    const request = this.#createRequest();
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const answer = await this.#caller.try(request);
      if (answer === null) {
        this.#observed.count('create answers lost');
        if (plan.idempotencyKey === null && (await this.#existsUnanswered(request))) {
          return null;
        }
        continue;
      }
      if (answer.status === 200) {
        this.#countReplay(answer, tries);
        return answer.body;
      }
      if (answer.status !== 409 || answer.headers['retry-after'] === undefined || tries === 0) {
        throw new Unexpected(`create answered ${answer.status} ${answer.body}`);
      }
      // The gateway died after the first request's commit: a retry waits until its lock expires.
      this.#observed.count('retries that had to wait');
      await wait(Number(answer.headers['retry-after']) * 1_000);
    }
    throw new Unexpected('create was never answered');
  }

  #countReplay(answer: HttpAnswer, tries: number): void {
    if (tries === 0) {
      return;
    }
    const isReplay = answer.headers['idempotent-replayed'] === 'true';
    this.#observed.count(
      isReplay ? 'lost create: was stored' : 'lost create: created by the retry',
    );
  }

  /** Without a key, only the status call shows the payment. A retried create must then get a 409. */
  async #existsUnanswered(request: HttpRequest): Promise<boolean> {
    const status = await this.#caller.insist(this.#api.get(`intent/${this.#record.plan.uniqueId}`));
    if (status.status === 404) {
      this.#observed.count('lost create without key: absent');
      return false;
    }
    if (status.status !== 200) {
      throw new Unexpected(`status call answered ${status.status} ${status.body}`);
    }
    this.#observed.count('lost create without key: complete');
    this.#record.isOrphan = true;
    if (ENDS_BY_ITSELF.includes(this.#record.plan.story)) {
      this.#record.acknowledgedStatus = FINAL_STATUS[this.#record.plan.story];
    }
    const repeated = await this.#caller.insist(request);
    if (repeated.status !== 409) {
      throw new Unexpected(`a taken id answered ${repeated.status} ${repeated.body}`);
    }
    return true;
  }

  async #follow(createAnswer: string): Promise<void> {
    const { plan } = this.#record;
    switch (plan.story) {
      case 'hosted_paid':
        await this.#decide(await this.#connect(plan.methods[0]), 'approve');
        break;
      case 'hosted_declined_then_paid': {
        const declined = await this.#connect(plan.methods[0]);
        await this.#decide(declined, 'decline');
        const again = await this.#connect(plan.methods[1]);
        if (again === declined) {
          throw new Unexpected('a declined attempt was offered again');
        }
        await this.#decide(again, 'approve');
        break;
      }
      case 'hosted_abandoned':
        await this.#think();
        await this.#caller.expect(giveUp(this.#checkoutUrl()), 303);
        break;
      case 'hosted_abandoned_at_rail':
        await this.#decide(await this.#connect(plan.methods[0]), 'give_up');
        break;
      case 'hosted_canceled':
        await this.#think();
        await this.#cancel();
        break;
      case 'hosted_left_alone':
        break;
      case 'express_simulated_success':
      case 'express_simulated_failure':
        this.#expectExpressStatus(createAnswer);
        break;
      case 'express_paid_at_rail': {
        const simulatorUrl = await this.#expressSimulatorUrl(createAnswer);
        if (simulatorUrl === null) {
          return;
        }
        await this.#decide(simulatorUrl, 'approve');
        break;
      }
      case 'express_paid_at_provider':
      case 'express_declined_at_provider':
        if (!(await settleAtProvider(this.#scene, this.#record))) {
          this.#record.isStuck = true;
          return;
        }
    }
    // The gateway has answered every step of the story.
    this.#record.acknowledgedStatus = FINAL_STATUS[plan.story];
    await refundAsPlanned(this.#scene, this.#record);
  }

  async #cancel(): Promise<void> {
    const { plan } = this.#record;
    if (plan.isCanceledByMember) {
      await this.#scene.member.cancel(plan);
      this.#observed.count('cancellations by the dashboard');
    } else {
      await this.#caller.expect(this.#api.post(`intent/cancel/${plan.uniqueId}`), 200);
    }
  }

  #expectExpressStatus(createAnswer: string): void {
    const expected =
      FINAL_STATUS[this.#record.plan.story] === 'SUCCESS' ? '"SUCCESS"' : '"FAILURE"';
    if (!createAnswer.includes(`"status":${expected}`)) {
      throw new Unexpected(`express answered ${createAnswer}`);
    }
  }

  /** Reads the payment's page if the express call died before it had the simulator's URL. */
  async #expressSimulatorUrl(createAnswer: string): Promise<string | null> {
    const { content }: { content: { paymentUrl: string } } = JSON.parse(createAnswer);
    if (content.paymentUrl.includes('/simulator/')) {
      return content.paymentUrl;
    }
    const { simulatorUrl } = await this.#page(content.paymentUrl);
    if (simulatorUrl === null) {
      this.#record.isStuck = true;
      this.#observed.count('NOTE express killed before the rail answered: no way to pay it');
    }
    return simulatorUrl;
  }

  /** Chooses a method until the gateway redirects to the simulator; returns its URL. */
  async #connect(method: Method): Promise<string> {
    const checkoutUrl = this.#checkoutUrl();
    for (let tries = 0; tries < CONNECTS_MAX; tries += 1) {
      // Without the form, the page shows an attempt in flight, and the post redirects to it.
      const { attempts } = await this.#page(checkoutUrl);
      const choice = { method, phone: '911223344', attempts: attempts ?? 0 };
      await this.#think();
      const chosen = await this.#caller.expect(chooseMethod(checkoutUrl, choice), 303);
      const location = new URL(chosen.headers.location ?? '', checkoutUrl).href;
      if (location.includes('/simulator/')) {
        return location;
      }
      await this.#abandon(checkoutUrl);
    }
    throw new Unexpected('the gateway never redirected to the simulator');
  }

  /** An attempt has no page if the gateway died between its start and the rail's answer. */
  async #abandon(checkoutUrl: string): Promise<void> {
    const { attemptId } = await this.#page(checkoutUrl);
    if (attemptId === null) {
      this.#observed.count('NOTE attempt without a page, not abandonable: retried');
      return;
    }
    this.#observed.count('attempts without a page: abandoned by the customer');
    await this.#caller.expect(abandonAttempt(checkoutUrl, attemptId), 303);
  }

  async #decide(simulatorUrl: string, choice: CustomerChoice): Promise<void> {
    await this.#page(simulatorUrl);
    await this.#think();
    await this.#caller.expect(decide(simulatorUrl, choice), 303);
  }

  async #page(url: string): Promise<CheckoutPage> {
    const { body } = await this.#caller.expect({ method: 'GET', url }, 200);
    return checkoutPage(body);
  }

  #think(): Promise<void> {
    return wait(this.#record.plan.random.between(0, THINKING_MS_MAX));
  }

  /** A hosted create answers with the URL of its page. */
  #checkoutUrl(): string {
    const { content }: { content: string } = JSON.parse(this.#record.createAnswer ?? '{}');
    return content;
  }

  #createRequest(): HttpRequest {
    const { kind, body, idempotencyKey } = this.#record.plan;
    return this.#api.postJson(kind === 'hosted' ? 'intent' : 'express/pay', body, idempotencyKey);
  }
}
