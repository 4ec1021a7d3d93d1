import type { MerchantCall } from '../../src/engine/api/call.ts';
import { readKeyedBody } from '../../src/engine/api/keyed-body.ts';
import {
  cancelPayment,
  cancelRefund,
  createRefund,
} from '../../src/engine/api/routes/change-payment.ts';
import {
  createExpress,
  createHostedOf,
  creationResponse,
} from '../../src/engine/api/routes/create-payment.ts';
import { readPayment } from '../../src/engine/api/routes/read-payment.ts';
import { railOrder } from '../../src/engine/attempts/order.ts';
import { storeResult } from '../../src/engine/attempts/provider-reports.ts';
import { railPageUrl } from '../../src/engine/attempts/rail-page.ts';
import { runAttempt } from '../../src/engine/attempts/start.ts';
import { answerCallback, callbackTarget } from '../../src/engine/callbacks/attempt.ts';
import { answerRefundCallback } from '../../src/engine/callbacks/refund.ts';
import { answerSharedCallback } from '../../src/engine/callbacks/shared-address.ts';
import { simulatedCommands } from '../../src/engine/checkout/simulator.ts';
import { configOf } from '../../src/engine/config.ts';
import type { Command } from '../../src/engine/domain/command.ts';
import { attemptInFlight, type Intent } from '../../src/engine/domain/intent.ts';
import { claimableAttempt } from '../../src/engine/domain/receipt-claim.ts';
import { type IntentClient, intentByUniqueId } from '../../src/engine/intent/client.ts';
import { RESENDABLE_DELIVERIES } from '../../src/engine/intent/protocol.ts';
import type { CallbackCall } from '../../src/engine/rails/callback.ts';
import { railFor, railOf } from '../../src/engine/rails/registry.ts';
import { isInteractive, simulator } from '../../src/engine/rails/simulator/rail.ts';
import { registerOf } from '../../src/engine/register/client.ts';
import { verifyLink } from '../../src/kit/crypto/link-token.ts';
import { Problem } from '../../src/kit/http/problem.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { bookOf } from '../../src/lists/book/client.ts';
import type { ShownPayment, ShownRefund } from '../harness/shown.ts';
import { askedMinor, CHANGED_BY_MINOR } from './books.ts';
import { type Clock, OUTSIDE, START_MS } from './clock.ts';
import { SimulatedFailure } from './faults.ts';
import type { Journal } from './journal.ts';
import { linkOf } from './links.ts';
import { accessOf, callbackHostOf } from './merchants.ts';
import type { SimulatedResponse } from './network.ts';
import type { Objects } from './objects.ts';
import { type Action, needsPhone, type Plan, type PlannedPayment } from './plan.ts';
import type { Provider, Report } from './provider.ts';
import { visitPage } from './rails.ts';

const TRIES = 6;
const RETRY_MS = 2_000;
/** A client gives up waiting for an answer. */
const PATIENCE_MS = 90_000;

/** What the actors act on. */
interface Surroundings {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly env: Env;
  readonly journal: Journal;
  readonly objects: Objects;
  readonly registers: Objects;
  readonly provider: Provider;
  /** Null: the gateway is not lost. */
  readonly disaster: {
    readonly isEmpty: boolean;
    readonly isInMaintenance: boolean;
    happen(): Promise<void>;
    mustNotRefund(payment: PlannedPayment, refundId: string): boolean;
  } | null;
}

/** The merchants' programs, the customers, the provider's callbacks and the operator. */
export class Actors {
  readonly #world: Surroundings;
  #requests = 0;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  begin(): void {
    const { clock, plan } = this.#world;
    for (const [index, { atMs, payment, action }] of plan.steps.entries()) {
      const planned = plan.payments[payment];
      if (planned !== undefined) {
        const process = clock.newProcess(`${action.type}/${index}`, false);
        clock.spawn(process, START_MS + atMs - clock.nowMs, () => this.#act(planned, action));
      }
    }
    const { disaster } = this.#world;
    if (disaster !== null) {
      const process = clock.newProcess('disaster', false);
      clock.spawn(process, plan.disaster?.atMs ?? 0, () => disaster.happen());
    }
  }

  /** The merchants send their creates again, as for orders that they miss. */
  createAgain(): void {
    this.#forAll('create again', (payment) => this.#create(payment, 'twice'));
  }

  #act(payment: PlannedPayment, action: Action): Promise<unknown> {
    switch (action.type) {
      case 'create':
        return this.#create(payment, action.variant);
      case 'pay':
        return this.#pay(payment, action);
      case 'cancel':
        return this.#cancel(payment);
      case 'read':
        return this.#readStatus(payment);
      case 'give_up':
        return this.#execute(payment, { type: 'abandon_payment' });
      case 'claim':
        return this.#claim(payment, action.receipt);
      case 'refund':
        return this.#refund(payment, action);
      case 'cancel_refund':
        return this.#cancelRefund(payment, action.refundId);
      case 'operator':
        return this.#resolve(payment);
      case 'resend':
        return this.#resend(payment);
      case 'republish':
        return this.request('operator', async () => (await this.#client(payment)).republish());
      case 'crash':
        return this.#crash(payment);
      case 'outage':
        return this.#outage(action);
    }
  }

  async #readStatus(payment: PlannedPayment): Promise<void> {
    const { answer } = await this.#api(payment, (call) => readPayment(call, async () => null));
    if (answer !== null) {
      this.#world.journal.reads.push({ payment, content: contentOf<ShownPayment>(answer) });
    }
  }

  /** The merchants read all payments, as their own reconciliation would. */
  lookAtAll(): void {
    this.#forAll('look at health', ({ merchant }) =>
      this.request('health', () => bookOf(this.#world.env, merchant, 0).report()),
    );
    this.#forAll('look', (payment) =>
      this.request('api', async () => (await this.#client(payment)).read()),
    );
    this.#forAll('look at refunds', ({ merchant }) =>
      this.request('api', () => registerOf(this.#world.env, merchant).paymentOfRefund('refund-1')),
    );
  }

  /** The operator works off what needs a person. */
  resolveAll(): void {
    this.#forAll('desk', (payment) => this.#resolve(payment));
  }

  #forAll(name: string, work: (payment: PlannedPayment) => Promise<unknown>): void {
    const { clock, plan } = this.#world;
    for (const [index, payment] of plan.payments.entries()) {
      clock.spawn(clock.newProcess(`${name}/${index}`, false), 0, () => work(payment));
    }
  }

  #client({ merchant, uniqueId }: PlannedPayment): Promise<IntentClient> {
    return intentByUniqueId(this.#world.env, merchant, uniqueId);
  }

  /** One HTTP request: a Worker does `work`, and may die. */
  request<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { clock } = this.#world;
    const caller = clock.current;
    this.#requests += 1;
    const worker = clock.newProcess(`${name}/${this.#requests}`, true);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const answer = (settle: () => void) => {
        if (!isOver) {
          isOver = true;
          clock.schedule(caller, clock.latencyMs(), settle);
        }
      };
      const giveUp = () => answer(() => reject(new SimulatedFailure('connection lost')));
      worker.onKill = giveUp;
      clock.schedule(OUTSIDE, PATIENCE_MS, giveUp);
      clock.schedule(worker, clock.latencyMs(), () => {
        work().then(
          (value) => answer(() => resolve(value)),
          (error: unknown) => {
            clock.note(`threw ${String(error)}`);
            answer(() => reject(error));
          },
        );
      });
    });
  }

  /**
   * A merchant's program calls the API, and retries until it gets an answer. Null when it gives up, or
   * is refused for good.
   */
  async #api(
    payment: PlannedPayment,
    route: (call: MerchantCall) => Promise<Response>,
    { body = {}, key = null, id = payment.uniqueId }: RequestParts = {},
  ): Promise<Answered> {
    const { clock } = this.#world;
    let refusal = 'no answer';
    let tries = 1;
    for (; tries <= TRIES; tries += 1) {
      try {
        if (this.#world.disaster?.isEmpty === true) {
          throw new SimulatedFailure('no such key');
        }
        const call = { ...this.#call(payment, body, key), id };
        const answer = await this.request('api', () => route(call));
        return { answer: answer as unknown as SimulatedResponse, refusal, tries };
      } catch (error) {
        if (error instanceof Problem && error.headers['retry-after'] === undefined) {
          refusal = error.code;
          break;
        }
        await clock.sleep(RETRY_MS * tries);
      }
    }
    return { answer: null, refusal, tries };
  }

  #call(payment: PlannedPayment, body: unknown, key: string | null): Omit<MerchantCall, 'id'> {
    const { env } = this.#world;
    const headers = new Map(key === null ? [] : [['idempotency-key', key]]);
    const request = {
      url: 'https://pay.example.com/api/v1/payment/intent',
      headers: { get: (name: string) => headers.get(name) ?? null },
      body: [new TextEncoder().encode(JSON.stringify(body))],
    };
    return {
      request: request as unknown as Request,
      env,
      ctx: { waitUntil: () => undefined } as unknown as ExecutionContext,
      config: configOf(env),
      access: {
        ...accessOf(payment.merchant),
        isInMaintenance: this.#world.disaster?.isInMaintenance === true,
      },
      nowMs: Date.now(),
    };
  }

  async #create(payment: PlannedPayment, variant: 'once' | 'twice' | 'changed'): Promise<void> {
    const key = payment.idempotencyKey;
    const creates = [this.#createOne(payment, key, variant === 'once')];
    if (variant === 'twice') {
      creates.push(this.#createOne(payment, key, false));
    }
    if (variant === 'changed') {
      const changed = { ...payment, amountMinor: payment.amountMinor + CHANGED_BY_MINOR };
      creates.push(this.#createOne(changed, 'another-key', false));
    }
    await Promise.all(creates);
  }

  async #createOne(payment: PlannedPayment, key: string | null, isAlone: boolean): Promise<void> {
    const { journal } = this.#world;
    const create =
      payment.kind === 'hosted'
        ? (call: MerchantCall) => this.#createHosted(payment, call)
        : createExpress;
    const { answer, refusal, tries } = await this.#api(payment, create, {
      ...{ body: bodyOf(payment), key },
    });
    const isReplay = answer?.headers.has('idempotent-replayed') === true;
    // No other request uses this id: a merchant's first request must not be its own duplicate.
    const isDuplicate = isReplay || refusal === 'duplicate_payment_id';
    journal.expect(
      '1 one owner',
      !(isAlone && tries === 1 && isDuplicate),
      'the first request got a replay or 409',
    );
    if (answer === null) {
      journal.reached.add(`refused ${refusal}`);
    } else {
      journal.created.push({ payment, key, content: contentOf(answer), isReplay });
    }
  }

  /** As the page of a link does, if the payments of this history have one. */
  async #createHosted({ merchant }: PlannedPayment, call: MerchantCall): Promise<Response> {
    const body = await readKeyedBody(call.request, 'hosted');
    const { linkPaymentsMax } = this.#world.plan;
    if (linkPaymentsMax === null) {
      return creationResponse(await createHostedOf(call, body));
    }
    const link = linkOf(linkPaymentsMax);
    // A repeated creation changes nothing.
    await registerOf(call.env, merchant).createLink({ link, idempotency: null, answer: '' });
    const added = { description: link.title, phone: null, countedLink: link.code };
    return creationResponse(await createHostedOf(call, body, added));
  }

  #read({ merchant, uniqueId }: PlannedPayment): Promise<Intent | null> {
    return this.read(merchant, uniqueId);
  }

  read(tenant: Tenant, uniqueId: string): Promise<Intent | null> {
    const { env } = this.#world;
    return this.request('page', async () => (await intentByUniqueId(env, tenant, uniqueId)).read());
  }

  async #execute(payment: PlannedPayment, command: Command): Promise<void> {
    await this.request('page', async () => (await this.#client(payment)).execute([command]));
  }

  async #cancel(payment: PlannedPayment): Promise<void> {
    if ((await this.#api(payment, cancelPayment)).answer !== null) {
      this.#world.journal.canceledPayments.push(payment);
    }
  }

  async #pay(payment: PlannedPayment, pay: Extract<Action, { type: 'pay' }>): Promise<void> {
    const { clock, provider } = this.#world;
    provider.decisions.set(payment.uniqueId, pay);
    const seen = await this.#read(payment);
    if (seen === null) {
      return;
    }
    if (seen.status === 'open' && seen.terms.kind === 'hosted') {
      await clock.sleep(pay.thinksMs);
      const clicks = pay.isTwice ? [0, 1] : [0];
      await Promise.allSettled(clicks.map(() => this.#choose(payment, seen, pay.method)));
    }
    // The page shows the attempt in flight, also after a lost connection.
    const intent = await this.#read(payment);
    const attempt = intent && attemptInFlight(intent);
    if (intent === null || attempt === null) {
      return;
    }
    if (attempt.railId === simulator.id) {
      await clock.sleep(pay.afterMs);
      await this.#decideInSimulator(payment, intent, pay);
    } else if (attempt.flow === 'redirect') {
      await this.#visitProvider(payment, intent, pay);
    }
    if (pay.abandonsAfterMs !== null) {
      await clock.sleep(pay.abandonsAfterMs);
      await this.#execute(payment, { type: 'abandon_attempt', attemptId: attempt.id });
    }
    if (pay.returns) {
      await clock.sleep(pay.afterMs);
      await this.#execute(payment, { type: 'customer_returned' });
    }
  }

  /** By the page that the customer opens now, which may change before the form arrives. */
  async #claim(payment: PlannedPayment, receipt: string): Promise<void> {
    const intent = await this.#read(payment);
    const attempt = intent && claimableAttempt(intent, this.#world.clock.nowMs);
    if (attempt) {
      await this.#execute(payment, { type: 'claim_receipt', attemptId: attempt.id, receipt });
    }
  }

  #choose(payment: PlannedPayment, seen: Intent, method: PlannedPayment['method']) {
    const { env } = this.#world;
    return this.request('checkout', async () => {
      const client = await this.#client(payment);
      const rail = railFor(env, seen.terms, method);
      if (rail === null) {
        throw new Error('every method has a rail');
      }
      const choice = { method, phone: '251911223344', expectedAttempts: seen.attempts.length };
      const run = await runAttempt(env, client, seen.terms, choice, rail);
      if (run.type === 'no_place') {
        this.#world.journal.reached.add('refused by a full link');
      }
      return run.type === 'started' ? railPageUrl(env, client, run.intent) : null;
    });
  }

  async #decideInSimulator(
    payment: PlannedPayment,
    intent: Intent,
    { decision, isTwice }: Extract<Action, { type: 'pay' }>,
  ): Promise<void> {
    const attempt = attemptInFlight(intent);
    if (attempt === null || decision === 'ignore' || !isInteractive(intent.terms)) {
      return;
    }
    const choice = decision === 'decline' ? 'decline' : 'approve';
    const decide = (chosen: 'decline' | 'approve') =>
      this.request('simulator', async () =>
        storeResult(
          this.#world.env,
          await this.#client(payment),
          simulatedCommands(chosen, intent, attempt),
        ),
      );
    await decide(choice);
    if (isTwice) {
      await decide('approve');
    }
  }

  async #visitProvider(
    payment: PlannedPayment,
    intent: Intent,
    { decision, afterMs }: Extract<Action, { type: 'pay' }>,
  ): Promise<void> {
    const { env, provider } = this.#world;
    const order = await this.request('checkout', async () => {
      const client = await this.#client(payment);
      const url = await railPageUrl(env, client, intent);
      const attempt = attemptInFlight(intent);
      const rail = attempt && railOf(env, intent.terms, attempt);
      return url !== null && attempt !== null && rail !== null
        ? railOrder(env, rail, intent, attempt)
        : null;
    });
    const visited = order && visitPage(order);
    if (visited !== null) {
      provider.decide(visited, decision, afterMs);
    }
  }

  async #refund(
    payment: PlannedPayment,
    { refundId, part, ofDuplicate }: Extract<Action, { type: 'refund' }>,
  ): Promise<void> {
    const { uniqueId } = payment;
    const { journal, disaster } = this.#world;
    if (disaster?.mustNotRefund(payment, refundId) === true) {
      return;
    }
    journal.noteRefundRequest(payment, refundId);
    const amountMinor = askedMinor(payment, part);
    const other = ofDuplicate ? await this.#duplicateOf(payment) : null;
    const body = {
      paymentIntentUniqueId: uniqueId,
      refundUniqueId: refundId,
      ...(amountMinor !== null && { amountMinor }),
      ...(other !== null && { transactionId: other }),
    };
    const key = `key-${refundId}`;
    const { answer, refusal } = await this.#api(payment, createRefund, { body, key });
    if (answer === null) {
      journal.reached.add(`refused ${refusal}`);
    } else {
      journal.refunds.push({ payment, refund: contentOf<ShownRefund>(answer) });
    }
  }

  /** The reference of an attempt by which the customer has paid a second time. */
  async #duplicateOf(payment: PlannedPayment): Promise<string | null> {
    const intent = await this.#read(payment);
    const other = intent?.attempts.find(
      ({ id, status }) => status === 'succeeded' && id !== intent.paidAttemptId,
    );
    return other?.reference ?? null;
  }

  async #cancelRefund(payment: PlannedPayment, refundId: string): Promise<void> {
    if ((await this.#api(payment, cancelRefund, { id: refundId })).answer !== null) {
      this.#world.journal.canceledRefunds.push({ payment, refundId });
    }
  }

  /** The operator records what the provider's portal shows, and returns money by hand. */
  async #resolve(payment: PlannedPayment): Promise<void> {
    const { clock, provider } = this.#world;
    const intent = await this.#read(payment);
    const by = { operator: 'Hana', note: 'Seen in the portal.' };
    for (const attempt of intent?.attempts ?? []) {
      const order = provider.orders.get(attempt.reference);
      const isKnown = order !== undefined && order.state !== 'open';
      if (attempt.status === 'unresolved' && isKnown) {
        const outcome =
          order.state === 'paid'
            ? ({ type: 'succeeded', receipt: `R-${attempt.reference}` } as const)
            : ({ type: 'failed', reason: 'declined' } as const);
        const resolutionId = `attempt-${attempt.id}-${clock.nowMs}`;
        const command = { type: 'resolve_manually', attemptId: attempt.id, resolutionId } as const;
        await this.#execute(payment, {
          ...command,
          outcome,
          ...by,
          isVerified: true,
          secondOperatorAboveMinor: null,
          checkAtMs: clock.nowMs,
        });
      }
    }
    for (const refund of intent?.refunds ?? []) {
      const attempt = intent?.attempts.find(({ id }) => id === refund.attemptId);
      const order = provider.orders.get(attempt?.reference ?? '');
      const known = order?.refunds.get(refund.reference);
      const isOpen = refund.status === 'unresolved' || refund.status === 'requires_action';
      if (order === undefined || !isOpen || known?.state === 'accepted') {
        continue;
      }
      if (refund.status === 'requires_action' && known?.state !== 'returned') {
        order.returnedByHand.set(refund.reference, refund.returnedMinor);
      }
      const isReturned = known?.state === 'returned' || order.returnedByHand.has(refund.reference);
      await this.#execute(payment, {
        type: 'resolve_refund_manually',
        refundId: refund.id,
        resolutionId: `refund-${refund.id}-${clock.nowMs}`,
        outcome: isReturned ? { type: 'succeeded', railReference: 'HAND' } : { type: 'failed' },
        secondOperatorAboveMinor: null,
        isVerified: false,
        ...by,
      });
    }
  }

  async #resend(payment: PlannedPayment): Promise<void> {
    await this.request('dashboard', async () => {
      const client = await this.#client(payment);
      for (const { eventId, sequence, position } of await client.events()) {
        this.#world.journal.resentEvents.add(eventId);
        await client.resendEvent(sequence, RESENDABLE_DELIVERIES, position);
      }
    });
  }

  async #crash(payment: PlannedPayment): Promise<void> {
    const { clock, objects, registers } = this.#world;
    const { objectName } = await this.#client(payment);
    clock.note(`crash of the object of ${payment.uniqueId} and of the register`);
    objects.host(objects.namespace.idFromName(objectName).toString()).crash();
    for (const host of registers.hosts.values()) {
      host.crash();
    }
  }

  async #outage({ of, durationMs }: Extract<Action, { type: 'outage' }>): Promise<void> {
    const { clock } = this.#world;
    clock.note(`outage of ${of} for ${durationMs} ms`);
    clock.downUntilMs[of] = clock.nowMs + durationMs;
  }

  /** POST of a provider to Kefel; the status of the answer, or null. */
  async deliverReport(url: string, report: Report): Promise<number | null> {
    const { clock, env } = this.#world;
    const call: CallbackCall = {
      method: 'POST',
      url: new URL('https://pay.example.com/'),
      headers: {},
      body: new TextEncoder().encode(JSON.stringify(report)),
    };
    const [kind, railId = '', token = ''] = url.split(':');
    clock.current = OUTSIDE;
    const reply = await this.request('callback', async () => {
      if (kind === 'shared') {
        return answerSharedCallback(env, railId, call);
      }
      const purpose = kind === 'refund' ? 'refund' : 'attempt';
      const link = await verifyLink(configOf(env).linkSigningKeys, purpose, token);
      if (link === null) {
        return null;
      }
      if (kind === 'refund') {
        return answerRefundCallback(env, link, railId, call);
      }
      const target = await callbackTarget(env, link, railId);
      return target && answerCallback(env, target, call);
    }).catch(() => null);
    return reply?.status ?? null;
  }
}

interface RequestParts {
  readonly body?: object;
  readonly key?: string | null;
  readonly id?: string;
}

interface Answered {
  readonly answer: SimulatedResponse | null;
  readonly refusal: string;
  readonly tries: number;
}

/** The content of a successful answer. */
function contentOf<Content>({ text }: SimulatedResponse): Content {
  return JSON.parse(text).content;
}

function bodyOf(payment: PlannedPayment): object {
  const { merchant, uniqueId, kind, method, amountMinor } = payment;
  const shared = {
    amount: amountMinor / 100,
    currency: 'ETB',
    paymentIntentUniqueId: uniqueId,
    returnUrl: 'https://shop.example.com/done',
    ...(merchant.hasCallbackUrl && {
      callbackUrl: `https://${callbackHostOf(merchant)}/hook`,
      refundEvents: merchant.refundEvents,
    }),
    expireIn: payment.expireInSeconds,
    commissionPaidByCustomer: payment.commissionPaidByCustomer,
  };
  const isSandbox = merchant.environment === 'sandbox';
  return kind === 'hosted'
    ? { ...shared, methods: [] }
    : {
        ...shared,
        method,
        ...(needsPhone(method) && {
          phoneNumber: method === 'M_PESA' ? '0711223344' : '0911223344',
        }),
        ...(isSandbox && {
          testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
        }),
      };
}
