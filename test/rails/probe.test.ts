import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CbeBirrStandIn, startCbeBirrStandIn } from '../../scripts/stand-ins/cbe-birr.ts';
import { sealed } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import { startEbirrStandIn } from '../../scripts/stand-ins/ebirr.ts';
import { startEthswitchCardsStandIn } from '../../scripts/stand-ins/ethswitch-cards.ts';
import { startNbgStandIn } from '../../scripts/stand-ins/ethswitch-nbg.ts';
import { type MpesaStandIn, startMpesaStandIn } from '../../scripts/stand-ins/mpesa.ts';
import { jsonReply, type StandIn, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import {
  startTelebirrH5StandIn,
  type TelebirrH5StandIn,
} from '../../scripts/stand-ins/telebirr-h5.ts';
import { bareBase64, rsaKeyPair } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import { startTelebirrUssdStandIn } from '../../scripts/stand-ins/telebirr-ussd.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import type { ProbeOutcome, ProbeResult } from '../../src/engine/rails/rail.ts';
import { railConfiguration, railSecretName } from '../../src/engine/rails/settings.ts';
import { envOf } from '../unit/rails/rail-settings-fixture.ts';

/**
 * Goal: a probe tells whether a provider is reached and whether it accepts the credentials, and can
 * neither move money nor prompt a phone. Method: each of the four outcomes of each rail against its
 * stand-in, and the list of all calls that the stand-ins received.
 */

type Changes = Readonly<Record<string, unknown>>;

/** What brings an outcome about: settings that differ from the stand-in's, or its behavior. */
interface Case {
  readonly when: string;
  readonly with?: Changes | ((standIn: StandIn) => Changes);
  readonly outcome: ProbeOutcome;
  readonly call: string;
  readonly providerCode?: string | null;
  readonly settings?: readonly string[];
}

interface Scene {
  readonly method: Method;
  readonly start: () => Promise<StandIn>;
  /** The setting with the provider's address. */
  readonly address: string;
  /** All calls that its probes may make. */
  readonly calls: readonly string[];
  readonly cases: readonly Case[];
}

const OTHER_CREDENTIAL = Buffer.alloc(256, 'other').toString('base64');
const USSD_CALLER = ['thirdPartyId', 'password', 'operatorId', 'securityCredential', 'shortCode'];
const EBIRR_ACCOUNT = ['merchantUid', 'apiUserId', 'apiKey'];
const withQueries = ({ statusQuery }: StandIn) => ({ statusQuery });

const SCENES: Readonly<Record<string, Scene>> = {
  'telebirr H5': {
    method: 'TELE_BIRR',
    start: startTelebirrH5StandIn,
    address: 'apiBaseUrl',
    calls: ['/payment/v1/token', '/payment/v1/merchant/queryOrder'],
    cases: [
      {
        when: 'telebirr refuses by a code that may mean anything, and signs nothing',
        outcome: 'reached',
        call: 'queryOrder',
        providerCode: '60201002',
        settings: ['merchantAppId', 'merchantCode', 'merchantPrivateKey'],
      },
      {
        when: 'telebirr signs that it does not know the order',
        with: unknownOrder('signed'),
        outcome: 'accepted',
        call: 'queryOrder',
        settings: ['webPageUrl'],
      },
      {
        when: 'forms in the app are on, which only an order could try',
        with: (standIn) => ({ ...unknownOrder('signed')(standIn), inApp: true, miniApp: true }),
        outcome: 'accepted',
        call: 'queryOrder',
        settings: ['webPageUrl', 'inApp', 'miniApp'],
      },
      {
        when: 'the answer is not signed by telebirrPublicKey',
        with: unknownOrder('signed_by_another'),
        outcome: 'refused',
        call: 'queryOrder',
        settings: ['telebirrPublicKey'],
      },
      {
        when: 'the app secret is another',
        with: { appSecret: '0'.repeat(32) },
        outcome: 'refused',
        call: 'token',
        settings: ['fabricAppId', 'appSecret', 'apiBaseUrl'],
      },
      {
        when: 'telebirr has another public key of ours',
        with: () => ({ merchantPrivateKey: bareBase64(rsaKeyPair().privateKey) }),
        outcome: 'refused',
        call: 'queryOrder',
        providerCode: '60200099',
        settings: ['merchantPrivateKey', 'signatureScheme'],
      },
      {
        when: 'the merchant code is another',
        with: { merchantCode: '999999' },
        outcome: 'refused',
        call: 'queryOrder',
        providerCode: '60200087',
        settings: ['merchantCode'],
      },
      {
        when: 'telebirr limits the calls',
        with: (standIn) => {
          (standIn as TelebirrH5StandIn).behavior.token = 'quota';
          return {};
        },
        outcome: 'reached',
        call: 'token',
        providerCode: '49401021002',
      },
    ],
  },
  'telebirr USSD': {
    method: 'TELE_BIRR_USSD',
    start: startTelebirrUssdStandIn,
    address: 'relayUrl',
    calls: ['/payment/services/APIRequestMgrService', '/payment/services/SYNCAPIRequestMgrService'],
    cases: [
      {
        when: 'CPS knows the caller and not the payment',
        with: withQueries,
        outcome: 'accepted',
        call: 'QueryTransactionStatus',
        providerCode: '-1',
        settings: ['relayUrl'],
      },
      {
        when: 'the relay leads to the service that knows no queries',
        outcome: 'reached',
        call: 'QueryTransactionStatus',
        providerCode: null,
        settings: USSD_CALLER,
      },
      {
        when: 'the relay refuses its token',
        with: { relayHeaders: { Authorization: 'Bearer other' } },
        outcome: 'refused',
        call: 'QueryTransactionStatus',
        settings: ['relayUrl', 'relayHeaders'],
      },
      {
        when: 'CPS refuses the caller',
        with: (standIn) => ({ ...withQueries(standIn), password: 'other' }),
        outcome: 'refused',
        call: 'QueryTransactionStatus',
        providerCode: '1001',
        settings: USSD_CALLER,
      },
      {
        when: 'a code means misconfigured by the settings',
        with: (standIn) => ({ ...withQueries(standIn), operatorId: 'other' }),
        outcome: 'refused',
        call: 'QueryTransactionStatus',
        providerCode: 'X102',
      },
      {
        when: 'a code is not in the settings',
        with: (standIn) => ({ ...withQueries(standIn), operatorId: 'other', reasons: {} }),
        outcome: 'reached',
        call: 'QueryTransactionStatus',
        providerCode: 'X102',
      },
    ],
  },
  'CBE Birr': {
    method: 'CBE',
    start: startCbeBirrStandIn,
    address: 'baseUrl',
    calls: ['/api/cbebpg/TXNSTAT', '/api/cbebpg/CheckMeENC'],
    cases: [
      {
        when: 'CBE encrypts a name with our secret',
        outcome: 'accepted',
        call: 'CheckMeENC',
        settings: ['user', 'password', 'paidStates'],
      },
      {
        when: 'CBE encrypts a name with another secret',
        with: { secret: 'another secret' },
        outcome: 'refused',
        call: 'CheckMeENC',
        settings: ['secret', 'tillCode'],
      },
      {
        when: 'CBE encrypts nothing',
        with: (standIn) => {
          (standIn as CbeBirrStandIn).hasCipherTrial = false;
          return {};
        },
        outcome: 'reached',
        call: 'TXNSTAT',
        settings: ['secret', 'tillCode'],
      },
    ],
  },
  'EthSwitch cards': {
    method: 'ETS_SWITCH',
    start: startEthswitchCardsStandIn,
    address: 'baseUrl',
    calls: ['/getOrderStatusExtended.do'],
    cases: [
      {
        when: 'the gateway does not know the order',
        outcome: 'accepted',
        call: 'getOrderStatusExtended.do',
        providerCode: 'errorCode 6',
        settings: [],
      },
      {
        when: 'the gateway denies access',
        with: { password: 'other' },
        outcome: 'refused',
        call: 'getOrderStatusExtended.do',
        providerCode: 'errorCode 5',
        settings: ['userName', 'password'],
      },
    ],
  },
  'EthSwitch NBG': {
    method: 'ETS_SWITCH',
    start: startNbgStandIn,
    address: 'baseUrl',
    calls: ['/user/auth/login'],
    cases: [
      {
        when: 'NBG signs us in',
        outcome: 'accepted',
        call: 'login',
        settings: ['billerBin', 'callbackAddresses'],
      },
      {
        when: 'NBG refuses the password',
        with: { password: 'other' },
        outcome: 'refused',
        call: 'login',
        settings: ['username', 'password', 'baseUrl'],
      },
    ],
  },
  'M-PESA': {
    method: 'M_PESA',
    start: startMpesaStandIn,
    address: 'baseUrl',
    calls: ['/v1/token/generate', '/mpesa/transactionstatus/v1/query'],
    cases: [
      {
        when: 'M-PESA gives a token',
        outcome: 'accepted',
        call: 'token',
        settings: ['shortcode', 'passkey'],
      },
      {
        when: 'M-PESA accepts a query',
        with: withQueries,
        outcome: 'accepted',
        call: 'transactionstatus',
        providerCode: '0',
        settings: ['shortcode', 'passkey', 'statusQuery'],
      },
      {
        when: 'the consumer secret is another',
        with: { consumerSecret: 'other' },
        outcome: 'refused',
        call: 'token',
        providerCode: '999997',
        settings: ['consumerKey', 'consumerSecret', 'baseUrl'],
      },
      {
        when: 'M-PESA rejects the API operator',
        with: { statusQuery: { initiator: 'other', securityCredential: OTHER_CREDENTIAL } },
        outcome: 'refused',
        call: 'transactionstatus',
        providerCode: '400.002.02',
        settings: ['statusQuery'],
      },
      {
        when: 'M-PESA limits the calls',
        with: (standIn) => {
          (standIn as MpesaStandIn).answerTokens(jsonReply(429, {}));
          return {};
        },
        outcome: 'reached',
        call: 'token',
      },
    ],
  },
  eBirr: {
    method: 'E_BIRR',
    start: startEbirrStandIn,
    address: 'baseUrl',
    calls: ['/asm'],
    cases: [
      {
        when: 'eBirr does not know the purchase',
        outcome: 'accepted',
        call: 'API_TRANSACTIONSTATUS',
        settings: [],
      },
      {
        when: 'eBirr does not know the key',
        with: { apiKey: 'API-another-key' },
        outcome: 'refused',
        call: 'API_TRANSACTIONSTATUS',
        settings: EBIRR_ACCOUNT,
      },
      {
        when: 'eBirr rejects the request',
        with: { merchantUid: 'M1' },
        outcome: 'reached',
        call: 'API_TRANSACTIONSTATUS',
        providerCode: '5002 E10002',
        settings: EBIRR_ACCOUNT,
      },
    ],
  },
};

function unknownOrder(form: TelebirrH5StandIn['behavior']['unknownOrder']) {
  return (standIn: StandIn) => {
    (standIn as TelebirrH5StandIn).behavior.unknownOrder = form;
    return {};
  };
}

/** No server listens there. */
const NOWHERE = 'http://localhost:9';

const RESULT_URL = 'http://localhost:9/rails/probe';

async function probe(method: Method, settings: Changes): Promise<ProbeResult> {
  const name = railSecretName('production', method);
  const configuration = railConfiguration(envOf({ [name]: settings }), 'production', method);
  if (configuration.state !== 'configured' || configuration.rail.probe === undefined) {
    throw new Error(JSON.stringify(configuration));
  }
  const result = await configuration.rail.probe(RESULT_URL);
  for (const secret of textsIn(settings)) {
    expect(JSON.stringify(result)).not.toContain(secret);
  }
  return result;
}

/** Texts that a result must not repeat. */
function textsIn(settings: unknown): readonly string[] {
  return typeof settings === 'object' && settings !== null
    ? Object.values(settings).flatMap(textsIn)
    : [String(settings)].filter((text) => text.length > 5);
}

describe.each(Object.entries(SCENES))('%s', (_name, { method, start, address, calls, cases }) => {
  const made: string[] = [];

  test.each(cases)('$outcome: $when', async ({ when: _, with: given = {}, ...expected }) => {
    const standIn = await start();
    try {
      const changes = typeof given === 'function' ? given(standIn) : given;
      const result = await probe(method, { ...standIn.settings, ...changes });
      expect(result).toMatchObject(expected);
      expect(result.status).toBeGreaterThan(0);
    } finally {
      made.push(...standIn.calls.map(({ url }) => url));
      await standIn.stop();
    }
  });

  test('makes no other call than these, and never a charge', () => {
    expect(made).not.toEqual([]);
    const paths = made.map((url) => new URL(url, NOWHERE).pathname);
    expect(paths.filter((path) => !calls.some((call) => path.endsWith(call)))).toEqual([]);
  });

  const page: { server?: StandInServer; status: number } = { status: 200 };
  let settings: Changes;
  beforeAll(async () => {
    const body = '<html>Maintenance</html>';
    page.server = await StandInServer.start(async () => ({
      type: 'answer',
      status: page.status,
      body,
    }));
    const standIn = await start();
    settings = standIn.settings;
    await standIn.stop();
  });
  afterAll(() => page.server?.stop());

  test('unreachable: no server answers', async () => {
    const result = await probe(method, { ...settings, [address]: NOWHERE });
    expect(result).toMatchObject({ outcome: 'unreachable', status: null });
    expect(result.settings.filter((name) => !name.endsWith('Url'))).toEqual([]);
  });

  test.each<[number, ProbeOutcome]>([
    [200, 'reached'],
    [302, 'reached'],
    [429, 'reached'],
    [403, 'refused'],
    [404, 'refused'],
    [502, 'unreachable'],
  ])('a page of something in between, with HTTP status %i: %s', async (status, outcome) => {
    page.status = status;
    const url = page.server?.baseUrl;
    expect(await probe(method, { ...settings, [address]: url })).toMatchObject({ outcome, status });
  });
});

test.each<[string, ProbeOutcome]>([
  ['our secret', 'accepted'],
  ['another secret', 'refused'],
])('CBE encrypts its answer about an unknown transaction with %s: %s', async (secret, outcome) => {
  const body = { EncryptedResponseValue: sealed(secret, JSON.stringify({ State: null })) };
  const server = await StandInServer.start(async () => jsonReply(200, body));
  const account = { user: 'shop-user', password: 'Sup3rS3cret', tillCode: '001234' };
  const settings = { ...account, secret: 'our secret', paidStates: ['Birr Moved'] };
  expect(await probe('CBE', { ...settings, baseUrl: server.baseUrl })).toMatchObject({
    outcome,
    call: 'TXNSTAT',
  });
  await server.stop();
});
