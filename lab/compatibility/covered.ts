import type { alertsOf } from '../../src/control/alerts/ask.ts';
import { AREAS } from '../../src/control/rpc/areas.ts';
import type { IntentClient } from '../../src/engine/intent/client.ts';
import type { registerOf } from '../../src/engine/register/client.ts';
import type { bookOf } from '../../src/lists/book/client.ts';
import { QUESTIONS } from '../../src/lists/book/questions.ts';
import type { OpenIndex } from '../../src/lists/receipt-index/open-index.ts';
import type { Crossing } from './host/record.ts';

/** Everything that one part may ask another. A new method of a client does not compile without a row. */

type MethodsOf<Client> = {
  readonly [Name in keyof Client as Client[Name] extends (...args: never) => unknown
    ? Name
    : never]: true;
};

const OF_PAYMENTS: MethodsOf<IntentClient> = {
  create: true,
  probe: true,
  read: true,
  execute: true,
  history: true,
  events: true,
  eventRequestBody: true,
  resendEvent: true,
  claimDelivery: true,
  chooseEndpoints: true,
  reportDelivery: true,
  republish: true,
  retention: true,
  setHold: true,
  erase: true,
  exportRecords: true,
  restore: true,
  restoreTo: true,
  restart: true,
  executePersistently: true,
  readPersistently: true,
};

const OF_REGISTERS: MethodsOf<ReturnType<typeof registerOf>> = {
  claimRefund: true,
  releaseRefund: true,
  recordRefunds: true,
  paymentOfRefund: true,
  holdReference: true,
  paymentOfReference: true,
  volumes: true,
  openVolume: true,
  exportRefunds: true,
  restore: true,
  lostRefunds: true,
  createLink: true,
  linkAnswer: true,
  link: true,
  linkOfCode: true,
  links: true,
  changeLink: true,
  openLink: true,
  reservePlace: true,
  settlePlace: true,
  exportLinks: true,
};

const OF_BOOKS: MethodsOf<ReturnType<typeof bookOf>> = {
  apply: true,
  report: true,
  waitForEvents: true,
  recordRefused: true,
  refusedRequests: true,
  ask: true,
  restore: true,
  indexReceipts: true,
  erase: true,
  backUp: true,
  settleBackup: true,
};

const OF_INDEX: Omit<MethodsOf<OpenIndex>, 'alarm'> = { put: true, find: true, remove: true };

const OF_ALERTS: MethodsOf<ReturnType<typeof alertsOf>> = {
  stand: true,
  tally: true,
  happen: true,
  look: true,
  outages: true,
  state: true,
  testChannel: true,
};

/** What the scenarios do not reach, and why that is safe. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  'PaymentIntent.executePersistently': 'the client calls `execute`',
  'PaymentIntent.readPersistently': 'the client calls `read`',
  'PaymentIntent.chooseEndpoints':
    'only after 16 deliveries hang; takes what `claimDelivery` takes',
  'MerchantBook.ask counts': 'only the proof of a restore asks it; takes nothing',
  'MerchantBook.ask holdChangedAtMs': 'only for a payment whose record is damaged; takes a text',
  'MerchantBook.ask ofReferences': 'only a provider’s file asks it; takes a list of texts',
  'MerchantBook.ask': 'each question counts by its name',
  'ReceiptIndex.remove': 'only erases a payment with a receipt; takes what `put` takes',
  'MerchantRegister.releaseRefund': 'only when refunds race; takes two texts and a flag',
  'message of WEBHOOK_RETRIES': 'after seconds, and with what `WEBHOOKS` carries',
  'MerchantBook.settleBackup': 'only for a payment in a backup; takes nothing',
  'PaymentIntent.restore': 'only a restore calls it, while no deployment is under way',
  'MerchantRegister.restore': 'only a restore calls it, while no deployment is under way',
  'MerchantRegister.lostRefunds': 'only the proof of a restore asks it; takes a number',
  'PaymentIntent.restoreTo': 'the local runtime has no point-in-time recovery',
  'PaymentIntent.restart': 'only after `restoreTo`; takes nothing',
  'interface alerts.refuseSignIns': 'only after refused sign-ins; takes a text and a number',
  'interface operator.confirmRestoredMembers': 'only a restore calls it',
  'interface operator.proveRestore': 'only a restore calls it',
  'OperatorAlerts.stand': 'a lost report is mended by the next one; takes a text and a list',
  'OperatorAlerts.tally': 'a lost report is mended by the next one; takes a list',
  'OperatorAlerts.happen': 'only when a queue or a start fails; takes two texts and a number',
  'OperatorAlerts.look': 'only the cron calls it; takes nothing',
  'MerchantBook.ask facts': 'only for a line of a payment; takes a list of texts',
  'MerchantRegister.volumes': 'for tests; takes nothing',
  'MerchantRegister.openVolume': 'only after 4,000,000 payments; takes a number',
};

const QUEUES = ['WEBHOOKS', 'WEBHOOK_RETRIES', 'PROVIDER_REPORTS'];

/** What this version's parts may say to each other, by the names of the crossings. */
export async function sayable(): Promise<readonly string[]> {
  const areas = Object.entries(AREAS).map(async ([area, load]) =>
    Object.keys(await load()).map((name) => `interface ${area}.${name}`),
  );
  return [
    ...Object.keys(OF_PAYMENTS).map((name) => `PaymentIntent.${name}`),
    ...Object.keys(OF_REGISTERS).map((name) => `MerchantRegister.${name}`),
    ...Object.keys(OF_INDEX).map((name) => `ReceiptIndex.${name}`),
    ...Object.keys(OF_ALERTS).map((name) => `OperatorAlerts.${name}`),
    ...Object.keys(OF_BOOKS).map((name) => `MerchantBook.${name}`),
    ...Object.keys(QUESTIONS).map((name) => `MerchantBook.ask ${name}`),
    ...(await Promise.all(areas)).flat(),
    ...QUEUES.map((binding) => `message of ${binding}`),
  ];
}

/** What was not said, although it could be. */
export async function notSaid(crossings: readonly Crossing[]): Promise<readonly string[]> {
  const said = new Set(crossings.map(({ message }) => message.replace(/ (?:request|answer)$/, '')));
  return (await sayable()).filter((name) => !said.has(name) && NOT_CALLED[name] === undefined);
}
