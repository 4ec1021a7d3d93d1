import type { CustomerAct, Plan } from '../../scripts/stand-ins/stand-in.ts';
import type { FailureReason } from '../../src/engine/domain/attempt.ts';
import { METHODS, type Method } from '../../src/engine/domain/method.ts';
import telebirr from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };

/** What tests of all methods must know about each. */
export interface MethodFacts {
  readonly railId: string;
  /** The secret's required fields, with the address of a test system. */
  readonly settings: Settings;
  /** Whether numbers of Ethio telecom and of Safaricom have accounts. */
  readonly acceptsNetworks: readonly [ethioTelecom: boolean, safaricom: boolean];
  /** The acknowledgement of a callback that the provider expects. */
  readonly acknowledgement: RegExp;
  /** A customer who does not pay. */
  readonly unpaid: { readonly act: CustomerAct; readonly reason: FailureReason };
  readonly crash: Crash;
}

export type Settings = Readonly<Record<string, unknown>>;

/** A call that hangs while the gateway is killed. */
interface Crash {
  readonly plan: Plan;
  /** Part of the call's URL. */
  readonly call: string;
  /** How many of the two payments' calls have reached the rail by then. */
  readonly calls: number;
}

/** No text of a secret may appear in a message. */
export const SECRET_TEXT = 'Sup3rS3cret';

const HANGS = { start: 'accepted_then_hang' } as const;

export const FACTS: Readonly<Record<Method, MethodFacts>> = {
  TELE_BIRR: {
    railId: 'telebirr-h5',
    settings: {
      apiBaseUrl: 'https://telebirr.rail.test/gateway',
      webPageUrl: 'https://telebirr.rail.test/paygate',
      fabricAppId: 'c4182ef8-9249-458a-985e-06d191f4d505',
      appSecret: `${SECRET_TEXT}App`,
      merchantAppId: '1072905731584000',
      merchantCode: '200001',
      merchantPrivateKey: telebirr.merchantKey.pkcs8_b64_der,
      telebirrPublicKey: telebirr.platformKey.spki_b64_der,
    },
    acceptsNetworks: [true, true],
    acknowledgement: /^\{"code":0,"msg":"success"\}$/,
    unpaid: { act: 'declines', reason: 'declined' },
    crash: { plan: HANGS, call: '/merchant/preOrder', calls: 2 },
  },
  TELE_BIRR_USSD: {
    railId: 'telebirr-ussd',
    settings: {
      relayUrl: 'https://ussd.rail.test/relay',
      thirdPartyId: 'KefelThirdParty',
      password: `${SECRET_TEXT}Password`,
      operatorId: 'KefelOperator',
      securityCredential: `${SECRET_TEXT}Credential`,
      shortCode: '908070',
    },
    acceptsNetworks: [true, true],
    acknowledgement: /<res:ResponseCode>0<\/res:ResponseCode>/,
    unpaid: { act: 'lacks_funds', reason: 'insufficient_funds' },
    crash: { plan: HANGS, call: '/APIRequestMgrService', calls: 2 },
  },
  CBE: {
    railId: 'cbe-birr',
    settings: {
      baseUrl: 'https://cbe.rail.test',
      user: 'KefelUser',
      password: `${SECRET_TEXT}Password`,
      tillCode: '001001',
      secret: `${SECRET_TEXT}Key`,
      paidStates: ['BIRR MOVED'],
    },
    acceptsNetworks: [true, true],
    acknowledgement: /^OK$/,
    unpaid: { act: 'declines', reason: 'declined' },
    // Its start makes no call. The query that confirms its callback hangs.
    crash: { plan: { query: 'hang' }, call: '/TXNSTAT', calls: 2 },
  },
  ETS_SWITCH: {
    railId: 'ethswitch-cards',
    settings: {
      gateway: 'cards',
      baseUrl: 'https://cards.rail.test/epg/rest',
      userName: 'kefel-api',
      password: `${SECRET_TEXT}Password`,
    },
    acceptsNetworks: [true, true],
    acknowledgement: /^\{"code":"SUCCESS"\}$/,
    // No signature: these are recognized by ids that a forger does not know.
    unpaid: { act: 'declines', reason: 'declined' },
    crash: { plan: HANGS, call: 'action=order.create', calls: 2 },
  },
  M_PESA: {
    railId: 'stk-push',
    settings: {
      baseUrl: 'https://mpesa.rail.test',
      consumerKey: 'KefelConsumerKey',
      consumerSecret: `${SECRET_TEXT}Consumer`,
      shortcode: '908070',
      passkey: `${SECRET_TEXT}Passkey`,
    },
    acceptsNetworks: [false, true],
    acknowledgement: /^\{"ResultCode":0,"ResultDesc":"Accepted"\}$/,
    unpaid: { act: 'mistypes_pin', reason: 'wrong_pin' },
    crash: { plan: HANGS, call: '/stkpush/v3/processrequest', calls: 2 },
  },
  E_BIRR: {
    railId: 'ebirr',
    settings: {
      baseUrl: 'https://ebirr.rail.test/asm',
      merchantUid: 'M9080706',
      apiUserId: '9080706',
      apiKey: `${SECRET_TEXT}ApiKey`,
    },
    acceptsNetworks: [true, false],
    acknowledgement: /^\{"received":true\}$/,
    unpaid: { act: 'cancels', reason: 'canceled_by_customer' },
    // The calls hang until the customers act.
    crash: { plan: {}, call: '/asm', calls: 2 },
  },
};

/** One fact of every method. */
export function factOfAll<Name extends keyof MethodFacts>(
  name: Name,
): Readonly<Record<Method, MethodFacts[Name]>> {
  const facts = METHODS.map((method) => [method, FACTS[method][name]]);
  return Object.fromEntries(facts);
}
