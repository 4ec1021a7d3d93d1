import { type Attempt, hasEnded, type Intent, isRefundEvent } from '../../src/domain/intent.ts';
import { hasRefundEnded, type Refund } from '../../src/domain/refund.ts';
import { DELIVERY_WAITS_MS } from '../../src/domain/schedule.ts';
import { intentByUniqueId } from '../../src/intent/client.ts';
import { projectedEvents, projectedVersion, projectionRow } from '../../src/intent/projection.ts';
import type { StoredEvent } from '../../src/intent/store.ts';
import type { World } from './history.ts';
import { callbackHostOf } from './merchants.ts';
import type { ObjectHost } from './objects.ts';
import type { Plan, PlannedPayment } from './plan.ts';
import { type ProviderOrder, returnedMinor } from './provider.ts';
import { configuredRail } from './rails.ts';

/** A promise of docs/promises.md that a history broke. */
export interface Violation {
  /** Its number, and one or two words. */
  readonly promise: string;
  readonly what: string;
}

/** A payment at the end, as it is stored. */
interface Ended {
  readonly payment: PlannedPayment;
  readonly host: ObjectHost;
  readonly intent: Intent;
  readonly events: readonly StoredEvent[];
}

/** Checks every promise from outside, after all faults are over and everything has settled. */
export function verdictOn(world: World, plan: Plan): readonly Violation[] {
  const verdict = new Verdict(world);
  const ended = endedPayments(world, plan);
  verdict.checkCreation(ended);
  verdict.checkTenants(ended);
  verdict.checkProvider(ended);
  for (const payment of ended) {
    verdict.checkIntent(payment);
    verdict.checkHistory(payment);
    verdict.checkMoney(payment);
    verdict.checkRefunds(payment);
    verdict.checkEvents(payment);
    verdict.checkReadModel(payment);
  }
  return verdict.violations;
}

function endedPayments({ env, objects }: World, plan: Plan): readonly Ended[] {
  return plan.payments.flatMap((payment) => {
    const { objectId } = intentByUniqueId(env, payment.merchant, payment.uniqueId);
    const host = objects.hosts.get(objectId);
    const exists =
      host?.sql.all("SELECT 1 FROM sqlite_master WHERE name = 'intent'", []).length === 1;
    if (host === undefined || !exists) {
      return [];
    }
    const state = host.sql.all('SELECT state FROM intent', [])[0]?.state;
    const intent = JSON.parse(String(state)) as Intent;
    return [{ payment, host, intent, events: eventsOf(host) }];
  });
}

function eventsOf({ sql }: ObjectHost): readonly StoredEvent[] {
  if (sql.all("SELECT 1 FROM sqlite_master WHERE name = 'event'", []).length === 0) {
    return [];
  }
  return sql.all('SELECT * FROM event ORDER BY sequence', []).map((row) => ({
    sequence: Number(row.sequence),
    eventId: String(row.event_id),
    type: row.type as StoredEvent['type'],
    refundId: row.refund_id as string | null,
    body: String(row.body),
    signature: row.signature as string | null,
    createdAtMs: Number(row.created_at_ms),
    deliveries: JSON.parse(String(row.deliveries)),
  }));
}

class Verdict {
  readonly violations: Violation[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  #expect(isKept: boolean, promise: string, what: () => string): void {
    if (!isKept) {
      this.violations.push({ promise, what: what() });
    }
  }

  /** Each answer to a create request is about the one payment, with the same content. */
  checkCreation(ended: readonly Ended[]): void {
    for (const { payment, key, text, isReplay } of this.#world.journal.created) {
      const found = ended.find(
        ({ payment: { merchant, uniqueId } }) =>
          merchant === payment.merchant && uniqueId === payment.uniqueId,
      );
      this.#expect(found !== undefined, '6 nothing lost', () => `created ${payment.uniqueId}`);
      if (found === undefined) {
        continue;
      }
      const { amountMinor } = found.intent.terms;
      this.#expect(
        amountMinor === payment.amountMinor,
        '1 one owner',
        () => `the answer was about ${payment.amountMinor}, stored are ${amountMinor}`,
      );
      const same = this.#world.journal.created.filter(
        (other) =>
          other.payment.uniqueId === payment.uniqueId &&
          other.payment.merchant === payment.merchant,
      );
      this.#expect(
        same.filter((other) => !other.isReplay).length <= 1,
        '1 one owner',
        () => `two requests made ${payment.uniqueId}`,
      );
      this.#expect(!isReplay || key !== null, '1 one owner', () => 'a replay without a key');
      const content: unknown = JSON.parse(text).content;
      if (found.intent.terms.kind === 'express') {
        this.#checkExpressAnswer(found, Object(content));
      }
    }
    for (const payment of this.#world.journal.canceledPayments) {
      const found = ended.find((one) => one.payment === payment);
      const status = found?.intent.status;
      this.#expect(
        status === 'canceled' || (status === 'succeeded' && found?.intent.late === true),
        '6 nothing lost',
        () => `canceled, and then ${status}`,
      );
    }
    for (const { payment, refund } of this.#world.journal.refunds) {
      const stored = ended
        .find((one) => one.payment === payment)
        ?.intent.refunds.find(({ id }) => id === refund.id);
      this.#expect(
        stored?.amountMinor === refund.amountMinor,
        '6 nothing lost',
        () => `refund ${refund.id} of ${refund.amountMinor} is ${stored?.amountMinor}`,
      );
    }
  }

  #checkExpressAnswer(
    { intent }: Ended,
    content: { readonly transactionId?: string; readonly status?: string },
  ): void {
    const [attempt] = intent.attempts;
    this.#expect(
      content.transactionId === attempt?.reference,
      '1 one owner',
      () => `the answer names transaction ${content.transactionId}`,
    );
    const order = this.#world.provider.orders.get(attempt?.reference ?? '');
    const isPaid = order?.state === 'paid' && !order.hasLied;
    this.#expect(
      !(content.status === 'FAILURE' && isPaid),
      '4 no blind retry',
      () => 'the merchant was told FAILURE, and the customer has paid',
    );
  }

  /** Nothing of one merchant reached another. */
  checkTenants(ended: readonly Ended[]): void {
    for (const { host, body, eventId } of this.#world.merchants.receipts) {
      const owner = ended.find(({ events }) => events.some((event) => event.eventId === eventId));
      this.#expect(owner !== undefined, '2 one commit', () => `${eventId} was never committed`);
      if (owner !== undefined) {
        const { merchant } = owner.payment;
        const isOwn = merchant.hasCallbackUrl
          ? host === callbackHostOf(merchant)
          : host.endsWith('coffee.example.com');
        this.#expect(
          isOwn,
          '8 tenants',
          () => `an event of ${merchant.merchantId} went to ${host}`,
        );
        this.#expect(
          JSON.parse(body).environment === merchant.environment,
          '8 tenants',
          () => 'another environment',
        );
      }
    }
  }

  /** What the provider saw of Kefel. */
  checkProvider(ended: readonly Ended[]): void {
    const { complaints, orders, confirmed } = this.#world.provider;
    this.#expect(complaints.length === 0, '11 refunds', () => complaints.join('; '));
    const attempts = ended.flatMap(({ intent }) => intent.attempts);
    for (const order of orders.values()) {
      this.#expect(order.starts <= 1, '4 no blind retry', () => `started ${order.starts} times`);
      const isKnown = attempts.some(({ reference }) => reference === order.reference);
      this.#expect(isKnown, '6 nothing lost', () => `order ${order.reference} is unknown to Kefel`);
      for (const refund of order.refunds.values()) {
        this.#expect(refund.calls === 1, '11 refunds', () => `asked ${refund.calls} times`);
      }
    }
    for (const { report } of confirmed) {
      this.#expect(report.mac !== 'f0rged', '9 callbacks', () => 'a forged report was confirmed');
    }
  }

  checkIntent({ intent, payment, host }: Ended): void {
    const { terms } = intent;
    this.#expect(
      terms.merchantId === payment.merchant.merchantId &&
        terms.environment === payment.merchant.environment,
      '8 tenants',
      () => `${host.name} holds a payment of ${terms.merchantId}`,
    );
    this.#expect(hasEnded(intent.status), '5 expiry', () => `still ${intent.status} after weeks`);
    const isPaid = intent.attempts.some(({ status }) => status === 'succeeded');
    this.#expect(
      (intent.status === 'succeeded') === isPaid,
      '3 success',
      () => `${intent.status} with a paid attempt: ${isPaid}`,
    );
  }

  /** One row for each version, and each event belongs to one of them. */
  checkHistory({ intent, host, events }: Ended): void {
    const rows = host.sql.all('SELECT version, to_status FROM history ORDER BY version', []);
    const isComplete =
      rows.length === intent.version && rows.every(({ version }, index) => version === index + 1);
    this.#expect(isComplete, '2 one commit', () => `${rows.length} of ${intent.version} versions`);
    const last = rows.at(-1)?.to_status;
    this.#expect(last === intent.status, '2 one commit', () => `history ends with ${String(last)}`);
    for (const type of ['succeeded', 'failed', 'expired'] as const) {
      const entries = rows.filter(
        ({ to_status: status }, index) => status === type && rows[index - 1]?.to_status !== type,
      ).length;
      const announced = events.filter((event) => event.type === `payment_${type}`).length;
      this.#expect(
        announced === entries && announced <= 1,
        '3 success',
        () => `${announced} events ${type}, entered ${entries} times`,
      );
    }
    for (const { sequence, body } of events) {
      this.#expect(
        JSON.parse(body).sequence === sequence,
        '2 one commit',
        () => `event ${sequence} announces another version`,
      );
    }
  }

  /** The provider's book and Kefel's agree, or the difference is visible. */
  checkMoney({ intent }: Ended): void {
    for (const attempt of intent.attempts) {
      if (attempt.railId === 'simulator') {
        continue;
      }
      const order = this.#world.provider.orders.get(attempt.reference);
      const isPaid = order?.state === 'paid';
      const succeeded = attempt.status === 'succeeded';
      if (isPaid) {
        this.#expect(
          succeeded,
          '6 nothing lost',
          () => `paid ${attempt.reference} (${attempt.railId}) is ${attempt.status}`,
        );
      } else if (succeeded) {
        const isVisible =
          order?.hasLied === true && hasAnomaly(intent, attempt, 'contradicting_failure');
        this.#expect(
          isVisible,
          '9 callbacks',
          () => `${attempt.reference} (${attempt.railId}) is succeeded, and nobody has paid`,
        );
      } else {
        this.#checkUnpaid(intent, attempt, order);
      }
    }
    const { status, failureReason } = intent;
    this.#expect(
      (status === 'failed') === (failureReason !== null),
      '3 success',
      () => `${status} with reason ${failureReason}`,
    );
  }

  #checkUnpaid({ terms }: Intent, attempt: Attempt, order: ProviderOrder | undefined): void {
    const { status, method, startClaim } = attempt;
    const canQuery =
      configuredRail(this.#world.env, terms.environment, method)?.query !== undefined;
    const isResolved = status === 'failed' || status === 'expired';
    // A provider that neither knows the order nor answers queries leaves it open for good.
    const mayStayOpen = order === undefined && (!canQuery || startClaim === 'taken');
    this.#expect(
      isResolved || mayStayOpen,
      '4 no blind retry',
      () => `${attempt.reference} (${attempt.railId}) is ${status}, and the provider knows better`,
    );
  }

  checkRefunds({ intent }: Ended): void {
    for (const refund of intent.refunds) {
      const attempt = intent.attempts.find(({ id }) => id === refund.attemptId);
      if (attempt !== undefined && attempt.railId !== 'simulator') {
        this.#checkRefund(intent, attempt, refund);
      }
      const announced = { succeeded: 'refund_succeeded', failed: 'refund_failed' };
      this.#expect(
        hasRefundEnded(refund) || Object.keys(announced).length > 0,
        '11 refunds',
        () => '',
      );
    }
    for (const { id, reference, status } of intent.attempts) {
      const order = this.#world.provider.orders.get(reference);
      const isTooMuch = order !== undefined && returnedMinor(order) > order.amountMinor;
      const isExcused = order?.hasLied === true && intent.anomalies.length > 0;
      this.#expect(
        !isTooMuch || isExcused,
        '11 refunds',
        () => `${returnedMinor(order as ProviderOrder)} returned of attempt ${id} (${status})`,
      );
    }
  }

  #checkRefund(intent: Intent, attempt: Attempt, refund: Refund): void {
    const order = this.#world.provider.orders.get(attempt.reference);
    const atProvider = order?.refunds.get(refund.reference);
    const isReturned =
      atProvider?.state === 'returned' || order?.returnedByHand.has(refund.reference) === true;
    const isVisible = hasAnomaly(intent, attempt, 'contradicting_refund');
    if (isReturned !== (refund.status === 'succeeded')) {
      // Without proof either way, the amount stays reserved and a person must look.
      const isHeld = refund.status === 'unresolved' || refund.status === 'requires_action';
      this.#expect(
        isVisible || isHeld,
        '11 refunds',
        () => `${refund.id} is ${refund.status}, returned: ${isReturned}`,
      );
    }
    const isCalled = atProvider !== undefined;
    this.#expect(
      !isCalled || refund.claimId !== null,
      '11 refunds',
      () => `${refund.id} unclaimed`,
    );
    this.#expect(refund.status !== 'processing', '11 refunds', () => `${refund.id} is processing`);
    const isStuck =
      refund.status === 'pending' &&
      !intent.refunds.some((other) => other !== refund && !hasRefundEnded(other));
    this.#expect(!isStuck, '11 refunds', () => `${refund.id} is pending after weeks`);
  }

  /** Each event arrived, or was visibly given up; its bytes are the same on every try. */
  checkEvents({ intent, events }: Ended): void {
    const { receipts } = this.#world.merchants;
    for (const event of events) {
      const { eventId, sequence } = event;
      const received = receipts.filter((receipt) => receipt.eventId === eventId);
      const bodies = new Set(received.map(({ body }) => body));
      this.#expect(bodies.size <= 1, '6 events', () => `${bodies.size} bodies of ${eventId}`);
      for (const delivery of event.deliveries) {
        const { deliveryStatus: status, tries } = delivery;
        const isFinal = ['delivered', 'dead', 'superseded', 'undeliverable', 'skipped', 'paused'];
        this.#expect(isFinal.includes(status), '6 events', () => `${eventId} is ${status}`);
        const accepted = received.filter(
          (receipt) => receipt.status !== null && receipt.status >= 200 && receipt.status < 300,
        );
        const isTrue = status !== 'delivered' || accepted.length > 0;
        this.#expect(isTrue, '6 events', () => `${eventId} is delivered, and nobody took it`);
        const isEarned =
          status !== 'dead' ||
          tries >= DELIVERY_WAITS_MS.length ||
          received.some((receipt) => receipt.status === 410);
        this.#expect(isEarned, '6 events', () => `${eventId} is dead after ${tries} tries`);
        const isReplaced =
          status !== 'superseded' ||
          events.some((later) => later.sequence > sequence && later.refundId === event.refundId);
        this.#expect(isReplaced, '6 events', () => `${eventId} is superseded by nothing`);
        const isSkippable = status !== 'skipped' || isRefundEvent(event.type);
        this.#expect(isSkippable, '6 events', () => `${eventId} was skipped`);
      }
    }
    for (const refund of intent.refunds) {
      const type = refund.status === 'succeeded' ? 'refund_succeeded' : 'refund_failed';
      const isAnnounced = events.some(
        (event) => event.refundId === refund.id && event.type === type,
      );
      const mustBe = refund.status === 'succeeded' || refund.status === 'failed';
      this.#expect(!mustBe || isAnnounced, '6 events', () => `no event about ${refund.id}`);
    }
  }

  /** The read model shows what the object stores. */
  checkReadModel({ intent, events }: Ended): void {
    const { sql } = this.#world.database;
    const [row] = sql.all('SELECT * FROM payment WHERE uuid = ?', [intent.terms.uuid]);
    const expected = { ...projectionRow(intent), version: projectedVersion(intent, events) };
    for (const [name, value] of Object.entries(expected)) {
      this.#expect(
        isSame(row?.[columnOf(name)], value),
        'read model',
        () => `${name} is ${String(row?.[columnOf(name)])}, stored is ${String(value)}`,
      );
    }
    for (const event of projectedEvents(events)) {
      const [shown] = sql.all('SELECT * FROM webhook_event WHERE event_id = ? AND position = ?', [
        event.eventId,
        event.position,
      ]);
      for (const [name, value] of Object.entries(event)) {
        this.#expect(
          isSame(shown?.[columnOf(name)], value),
          'read model',
          () =>
            `${name} of ${event.eventId} is ${String(shown?.[columnOf(name)])}, stored is ${String(value)}`,
        );
      }
    }
  }
}

function hasAnomaly(intent: Intent, attempt: Attempt, kind: Intent['anomalies'][number]['kind']) {
  return intent.anomalies.some(
    (anomaly) => anomaly.kind === kind && anomaly.attemptId === attempt.id,
  );
}

/** `amountMinor` is in column `amount_minor`. */
function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** SQLite stores truth as 0 and 1, and lists as JSON. */
function isSame(stored: unknown, value: unknown): boolean {
  const plain =
    typeof value === 'boolean'
      ? Number(value)
      : Array.isArray(value)
        ? JSON.stringify(value)
        : value;
  return stored === plain;
}
