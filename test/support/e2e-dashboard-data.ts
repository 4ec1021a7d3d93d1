import { OK, status } from './e2e-merchant-server.ts';
import {
  createHosted,
  createSimulated,
  hostedBody,
  newPhone,
  press,
  type Scene,
} from './e2e-scene.ts';
import { formTo, open, submit } from './e2e-visitor.ts';

/** Payments of the sandbox's demo merchant, by their outcome. */
export interface Payments {
  /** With items, splits and a commission; its event has arrived. */
  readonly paid: string;
  /** Its event was rejected for good. */
  readonly dead: string;
  /** Its event failed and is retried. */
  readonly waiting: string;
  /** Its event has no destination. */
  readonly failed: string;
  readonly processing: string;
  /** The customer left its attempt for another method, and the provider does not know yet. */
  readonly unresolved: string;
  /** With an id of the maximum length. */
  readonly open: string;
  readonly canceled: string;
  /** Paid, for a test to refund. */
  readonly refundable: string;
}

const LONGEST_ID_CHARACTERS = 255;

const ITEMS = [
  { name: 'Yirgacheffe coffee, 1 kg', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 450 },
  {
    name: 'ቡና ማፍያ ጀበና',
    description: 'Clay, black',
    quantity: 1,
    type: 'PHYSICAL_PRODUCT',
    price: 600,
  },
];
const SPLITS = [
  { amount: 12.5, bank: 'CBE', splitType: 'PERCENTAGE', creditAccount: '1000123456789' },
];

export async function createPayments(scene: Scene): Promise<Payments> {
  const failing = { testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'FAILED' } };
  const openId = `order-${'0123456789'.repeat(30)}`.slice(0, LONGEST_ID_CHARACTERS);
  const [paid, dead, waiting, failed, processing, unresolved, canceled, refundable] =
    await Promise.all([
      pay(scene),
      createSimulated(scene, [status(410)]),
      createSimulated(scene, [status(500)]),
      createSimulated(scene, [], { ...failing, callbackUrl: undefined }),
      createHosted(scene),
      createHosted(scene),
      createHosted(scene),
      pay(scene),
      scene.sandbox.hosted(hostedBody({ paymentIntentUniqueId: openId })),
    ]);
  await scene.sandbox.cancel(canceled.uniqueId);
  await begin(processing.checkoutUrl);
  await begin(unresolved.checkoutUrl);
  await submit(formTo(await open(unresolved.checkoutUrl), '/abandon'));
  await Promise.all([dead.hook.request(0), waiting.hook.request(0)]);
  return {
    paid,
    dead: dead.uniqueId,
    waiting: waiting.uniqueId,
    failed: failed.uniqueId,
    processing: processing.uniqueId,
    unresolved: unresolved.uniqueId,
    open: openId,
    canceled: canceled.uniqueId,
    refundable,
  };
}

async function pay(scene: Scene): Promise<string> {
  const payment = await createHosted(
    scene,
    {
      // Prices and price × quantity add up to different sums.
      amount: 1_500,
      items: ITEMS,
      splitPayment: SPLITS,
      customerInfo: { name: 'Almaz', phone: newPhone(), isPhoneUpdatable: true },
    },
    [OK],
  );
  await press(await begin(payment.checkoutUrl), 'approve');
  await payment.hook.request(0);
  return payment.uniqueId;
}

/** To the simulator's page, where the attempt stays until a test decides it. */
async function begin(checkoutUrl: string) {
  const first = await open(checkoutUrl);
  return submit(formTo(first, '/attempts'), { method: 'TELE_BIRR', phone: `0${newPhone()}` });
}
