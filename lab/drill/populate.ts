import { contentOf } from '../chaos/caller.ts';
import { Journey } from '../chaos/journey.ts';
import { Member } from '../chaos/member.ts';
import type { PaymentRecord } from '../chaos/observations.ts';
import { planOf } from '../chaos/plan.ts';
import type { Scene } from '../chaos/scene.ts';
import { checkoutPage, chooseMethod } from '../harness/customer.ts';
import { operate } from '../harness/operator.ts';
import { until } from '../harness/until.ts';
import { forEachOf } from '../harness/workers.ts';

/** The gateway before the disaster: a merchant at work, with payments in every state. */

const CUSTOMERS = 16;
/** The share of payments that have not ended: half of them have an attempt in flight. */
const UNFINISHED_SHARE = 0.1;
const LONG_EXPIRY_SECONDS = 6 * 3_600;
const SETTLED_WAIT_MS = 60_000;
/** Beyond the indexes of all other payments. */
const PAID_FROM = 1_000_000;

export interface Populated {
  readonly records: readonly PaymentRecord[];
  /** The unique ids of unfinished payments, all in the sandbox. */
  readonly unfinished: readonly string[];
  /** Their links. */
  readonly openLinks: readonly string[];
}

/** The owner joins by a link of the operator, with a new passkey. */
export async function joinOwner(scene: Pick<Scene, 'caller'>, baseUrl: string, merchantId: string) {
  const link = await operate<{ readonly url: string }>(
    baseUrl,
    `merchants/${merchantId}/invitations`,
    { name: 'Abebe', role: 'owner' },
  );
  return Member.join(scene.caller, link.url);
}

export async function populate(
  scene: Scene,
  { seed, payments, callbackUrl }: { seed: number; payments: number; callbackUrl: string },
): Promise<Populated> {
  const unfinishedCount = Math.max(2, Math.round(payments * UNFINISHED_SHARE));
  const records = Array.from({ length: payments - unfinishedCount }, (_, index) =>
    scene.observed.open(planOf(seed, index, callbackUrl)),
  );
  await forEachOf(records, CUSTOMERS, (record) => new Journey(scene, record).run());
  const unfinished = Array.from({ length: unfinishedCount }, (_, index) => `unfinished-${index}`);
  const openLinks: string[] = [];
  await forEachOf(unfinished, CUSTOMERS, async (uniqueId) => {
    openLinks.push(await leaveUnfinished(scene, uniqueId));
  });
  // The draw above may have none, and only a paid hosted payment links its receipt.
  const paid = scene.observed.open(firstPaid(seed, callbackUrl, PAID_FROM));
  await new Journey(scene, paid).run();
  await untilSettled(scene, records);
  return { records: [...records, paid], unfinished, openLinks };
}

/** A plan of a hosted payment that is paid, from this index on. */
export function firstPaid(seed: number, callbackUrl: string, from: number) {
  for (let index = from; ; index += 1) {
    const plan = planOf(seed, index, callbackUrl);
    if (plan.name === 'hosted_paid') {
      return { ...plan, refunds: [] };
    }
  }
}

/** A hosted payment that is open, or whose customer is at the provider. Returns its link. */
async function leaveUnfinished({ caller }: Scene, uniqueId: string): Promise<string> {
  const body = {
    ...{ paymentIntentUniqueId: uniqueId, amount: 150, currency: 'ETB', methods: [] },
    commissionPaidByCustomer: false,
    ...{ returnUrl: 'https://shop.example/thanks', expireIn: LONG_EXPIRY_SECONDS },
  };
  const created = await caller.expect(caller.api('sandbox').postJson('intent', body), 200);
  const url = contentOf<string>(created);
  if (Number(uniqueId.slice(-1)) % 2 === 0) {
    const page = await caller.expect({ method: 'GET', url }, 200);
    const { attempts } = checkoutPage(page.body);
    const choice = { method: 'TELE_BIRR', phone: '911223344', attempts: attempts ?? 0 };
    await caller.expect(chooseMethod(url, choice), 303);
  }
  return url;
}

/**
 * Payments have their ends, and refunds too, so that little changes during the backup. Some may take
 * longer on a busy machine: then they count as unfinished.
 */
async function untilSettled({ caller }: Scene, records: readonly PaymentRecord[]): Promise<void> {
  const deadlineMs = performance.now() + SETTLED_WAIT_MS;
  await forEachOf(records, CUSTOMERS, async ({ plan, isStuck }) => {
    if (isStuck) {
      return;
    }
    const read = caller.api(plan.environment).get(`intent/${plan.uniqueId}`);
    await until(
      `end of ${plan.uniqueId}`,
      async () => {
        const { status, refunds } = await caller.content<{
          status: string;
          refunds: readonly { status: string }[];
        }>(read);
        const isOpen = refunds.some((refund) => ['PENDING', 'PROCESSING'].includes(refund.status));
        return status === plan.status && !isOpen;
      },
      { forMs: deadlineMs - performance.now(), everyMs: 500 },
    ).catch(() => undefined);
  });
}
