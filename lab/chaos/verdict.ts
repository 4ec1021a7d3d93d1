import { setTimeout as wait } from 'node:timers/promises';
import type { ShownPayment, ShownRefund } from '../harness/shown.ts';
import { forEachOf } from '../harness/workers.ts';
import { type Caller, contentOf } from './caller.ts';
import { type Difference, listDifferences } from './lists.ts';
import type { MerchantServer, ReceivedEvent } from './merchant-server.ts';
import type { Observations, PaymentRecord } from './observations.ts';

const CHECKS_AT_ONCE = 8;
const EVENTS_POLL_MS = 500;
/** Leases double with every kill that hits the same event: after five in a row, 16 minutes. */
const EVENTS_WAIT_MS = 20 * 60_000;
const LISTS_POLL_MS = 3_000;
/** An end is sent until the book confirms it; a lease is far shorter than this. */
const ENDED_WAIT_MS = 90_000;
/** What has not ended is sent once more after 15 minutes (docs/storage.md#how-it-is-fed). */
const OPEN_WAIT_MS = 16 * 60_000;

/** The status of a payment before its end. */
const PENDING_STATUS = { hosted: 'OPEN', express: 'PROCESSING' } as const;

/** All that is compared after the last kill. */
export interface Evidence {
  readonly caller: Caller;
  readonly observed: Observations;
  readonly merchantServer: MerchantServer;
  readonly say: (text: string) => void;
}

/**
 * Resolves when every due event has arrived, or at the timeout. Reads no payment meanwhile, because a
 * read would repair a lost alarm.
 */
export async function untilEventsArrived({ observed, merchantServer, say }: Evidence) {
  const deadlineMs = performance.now() + EVENTS_WAIT_MS;
  let reported = -1;
  for (;;) {
    const eventsByPayment = merchantServer.eventsByPayment();
    let missing = 0;
    for (const { plan, acknowledgedStatus, refunds } of observed.payments.values()) {
      const refunded = refunds.filter((each) => each.amountMinor !== null && !each.isCanceled);
      const due = owesEvent(acknowledgedStatus) ? 1 + refunded.length : 0;
      missing += Math.max(0, due - (eventsByPayment.get(plan.uniqueId)?.length ?? 0));
    }
    if (missing !== reported) {
      say(`waiting for ${missing} events`);
      reported = missing;
    }
    if (missing === 0 || performance.now() > deadlineMs) {
      return;
    }
    await wait(EVENTS_POLL_MS);
  }
}

/**
 * Compares the gateway's final answers and lists, the merchant's webhooks and the providers' books with
 * what the gateway acknowledged, and records violations.
 */
export async function checkPayments(evidence: Evidence): Promise<void> {
  const { observed, caller, merchantServer } = evidence;
  const eventsByPayment = merchantServer.eventsByPayment();
  const contents: ShownPayment[] = [];
  await forEachOf([...observed.payments.values()], CHECKS_AT_ONCE, async (record) => {
    const events = eventsByPayment.get(record.plan.uniqueId) ?? [];
    const violation = (text: string) => observed.violation(record, text);
    const content = await contentOfRecord(caller, record, violation);
    if (content === null) {
      return;
    }
    contents.push(content);
    for (const check of [checkContent, checkEvents, checkRefunds, checkBook]) {
      check({ record, content, events, violation, count: (what) => observed.count(what) });
    }
  });
  for (const { text } of await lastingDifferences(evidence, contents)) {
    observed.violation(null, text);
  }
  for (const uniqueId of eventsByPayment.keys()) {
    if (!observed.payments.has(uniqueId)) {
      observed.violation(null, `an event for ${uniqueId}, which the load did not create`);
    }
  }
}

async function contentOfRecord(
  caller: Caller,
  { plan, createAnswer, isOrphan }: PaymentRecord,
  violation: (text: string) => void,
): Promise<ShownPayment | null> {
  const read = caller.api(plan.environment).get(`intent/${plan.uniqueId}`);
  const answer = await caller.expect(read, 200, 404).catch((error: unknown) => String(error));
  if (typeof answer === 'object' && answer.status === 200) {
    return contentOf(answer);
  }
  if (createAnswer !== null || isOrphan || typeof answer === 'string') {
    violation(`LOST: acknowledged, but the status call: ${JSON.stringify(answer)}`);
  }
  return null;
}

/** Waits as long as docs/storage.md#book says that the book may lag. */
async function lastingDifferences(
  { caller, merchantServer, say }: Evidence,
  contents: readonly ShownPayment[],
): Promise<readonly Difference[]> {
  const received = [...merchantServer.eventsByPayment().values()].flat();
  const startedAtMs = performance.now();
  let reported = 0;
  for (;;) {
    const found = await listDifferences(caller, contents, received);
    if (found.length !== reported) {
      reported = found.length;
      say(`rows that differ from their payments: ${reported}; ${found[0]?.text ?? ''}`);
    }
    // By the wall clock, because `creationDate` is.
    const isSettled = found.every(({ content }) =>
      content?.status === 'OPEN' || content?.status === 'PROCESSING'
        ? Date.now() > Date.parse(content.creationDate) + OPEN_WAIT_MS
        : performance.now() > startedAtMs + ENDED_WAIT_MS,
    );
    if (isSettled) {
      return found;
    }
    await wait(LISTS_POLL_MS);
  }
}

/** One payment: what was acknowledged, and what is there. */
interface Case {
  readonly record: PaymentRecord;
  readonly content: ShownPayment;
  readonly events: readonly ReceivedEvent[];
  readonly violation: (text: string) => void;
  readonly count: (what: string) => void;
}

function checkContent({ record, content, violation, count }: Case): void {
  const { plan, acknowledgedStatus, isOrphan } = record;
  if (
    content.uniqueId !== plan.uniqueId ||
    content.totalAmount !== plan.amountMinor ||
    content.currency !== plan.currency ||
    content.late ||
    content.anomalies.length > 0
  ) {
    violation(`differs from its create: ${JSON.stringify(content)}`);
  }
  const expected = acknowledgedStatus ?? PENDING_STATUS[plan.kind];
  // In production the provider may say that it never knew a stuck one: its book is compared below.
  const isStuck = record.isStuck && plan.environment === 'sandbox';
  // A failed journey has its own violation and may have stopped at any step.
  if ((acknowledgedStatus !== null || isOrphan || isStuck) && content.status !== expected) {
    violation(`status is ${content.status}, acknowledged was ${expected}`);
  }
  count(`final status ${content.status}`);
}

function checkEvents({ record, content, events, violation, count }: Case): void {
  const { plan } = record;
  if (owesEvent(content.status) && events.length === 0) {
    violation(`LOST EVENT: ${content.status}, but no webhook arrived`);
  }
  const ends = events.filter(({ payment }) => payment.refund === undefined);
  if (ends.length > 1) {
    violation(`several events: ${ends.map(({ rawBody }) => rawBody).join(', ')}`);
  }
  for (const { event, payment, rawBody, tries } of events) {
    if (payment.status !== content.status) {
      violation(`${event} contradicts the status ${content.status}: ${rawBody}`);
    }
    if (payment.totalAmount !== plan.amountMinor || payment.currency !== plan.currency) {
      violation(`${event} reports another payment: ${rawBody}`);
    }
    count(`events ${event}`);
    if (tries > 1) {
      count('events that arrived more than once');
    }
  }
}

/** Every acknowledged refund is there once, with its amount, outcome and event. */
function checkRefunds({ record, content, events, violation, count }: Case): void {
  for (const { plan, amountMinor, isCanceled } of record.refunds) {
    const [refund, ...others] = content.refunds.filter(
      ({ refundUniqueId }) => refundUniqueId === plan.id,
    );
    if (amountMinor === null) {
      continue;
    }
    if (refund === undefined || others.length > 0 || refund.amountMinor !== amountMinor) {
      violation(`refund of ${amountMinor} acknowledged as ${plan.id}: ${JSON.stringify(content)}`);
    }
    if (isCanceled && refund?.status !== 'CANCELED') {
      violation(`a canceled refund is ${refund?.status}`);
    }
  }
  for (const { refundUniqueId, status } of content.refunds) {
    count(`refunds ${status}`);
    const isEnded = status === 'SUCCESS' || status === 'FAILED';
    const due = isEnded || status === 'REQUIRES_ACTION' ? [status] : [];
    const told = events.flatMap(({ payment: { refund } }) =>
      refund?.refundUniqueId === refundUniqueId ? [refund.status] : [],
    );
    // The operator's action may come before the end.
    const sent = told.filter((said) => !(isEnded && said === 'REQUIRES_ACTION'));
    if (isHeld({ status }) && record.plan.environment === 'production') {
      count('refunds left to the operator');
    } else if (status !== 'CANCELED' && !isEnded) {
      violation(`refund ${refundUniqueId} is still ${status}`);
    }
    if (sent.join() !== due.join()) {
      violation(`refund ${refundUniqueId} is ${status}, its events say: ${told.join()}`);
    }
    if (!record.refunds.some(({ plan }) => plan.id === refundUniqueId)) {
      violation(`refund ${refundUniqueId}, which no client requested`);
    }
  }
  const refundedMinor = sumOf(content.refunds.filter(isSuccess), 'amountMinor');
  if (refundedMinor !== content.refundedAmount || refundedMinor > content.totalAmount) {
    violation(`refunded ${content.refundedAmount} of ${content.totalAmount}: ${refundedMinor}`);
  }
}

/** The provider's book: paid exactly if Kefel says so, and each refund returned once. */
function checkBook({ record, content, violation, count }: Case): void {
  const { order, plan } = record;
  if (plan.environment === 'sandbox') {
    return;
  }
  if ((order?.acted === 'pays') !== (content.status === 'SUCCESS')) {
    violation(`the provider has ${order?.acted}, but the status is ${content.status}`);
  }
  count("payments compared with the provider's book");
  const returned = (order?.refunds ?? []).filter(({ isReturned }) => isReturned);
  // EthSwitch's amounts are in minor units.
  const unitsPerMinor = plan.methods[0] === 'ETS_SWITCH' ? 1 : 100;
  const returnedMinor = returned.reduce(
    (sum, { amountText }) => sum + Math.round(Number(amountText) * unitsPerMinor),
    0,
  );
  const certain = content.refunds.filter(isSuccess);
  // A kill may have cost the provider's answer: the operator looks it up.
  const possible = [...certain, ...content.refunds.filter(isHeld)];
  if (
    returned.length < certain.length ||
    returned.length > possible.length ||
    returnedMinor < sumOf(certain, 'returnedMinor') ||
    returnedMinor > sumOf(possible, 'returnedMinor')
  ) {
    violation(
      `the provider returned ${returnedMinor} in ${returned.length} refunds: ${JSON.stringify(content.refunds)}`,
    );
  }
  if ((order?.refunds?.length ?? 0) > content.refunds.length) {
    violation('the provider was asked for more refunds than there are');
  }
}

function owesEvent(status: string | null): boolean {
  return status === 'SUCCESS' || status === 'FAILED' || status === 'EXPIRED';
}

function isSuccess({ status }: Pick<ShownRefund, 'status'>): boolean {
  return status === 'SUCCESS';
}

/** Its outcome is unknown, or a person returns the money: its amount stays reserved. */
function isHeld({ status }: Pick<ShownRefund, 'status'>): boolean {
  return status === 'PROCESSING' || status === 'REQUIRES_ACTION';
}

function sumOf(refunds: readonly ShownRefund[], field: 'amountMinor' | 'returnedMinor'): number {
  return refunds.reduce((sum, refund) => sum + refund[field], 0);
}
