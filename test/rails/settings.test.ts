import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { bareBase64, rsaKeyPair } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import { cbeBirrSettingsSchema } from '../../src/engine/rails/cbe-birr/settings.ts';
import { ebirrSettingsSchema } from '../../src/engine/rails/ebirr/settings.ts';
import { ethswitchSettings } from '../../src/engine/rails/ethswitch/settings.ts';
import { mpesaSettingsSchema } from '../../src/engine/rails/mpesa/settings.ts';
import { telebirrH5Settings } from '../../src/engine/rails/telebirr-h5/settings.ts';
import { telebirrUssdSettings } from '../../src/engine/rails/telebirr-ussd/settings.ts';
import { CREDENTIAL, VALID_SETTINGS } from '../support/rails/mpesa-fixtures.ts';
import { TELEBIRR_USSD_SETTINGS } from '../support/rails/telebirr-ussd-settings.ts';

/**
 * Goal: every field of the operator's secret is checked before the first payment, and the message
 * names the field but never its value. Method: what no field of a kind may be, for each rail's fields
 * of that kind, and each rail's own rules.
 */

/** No message may contain it. */
const SECRET = 'do-not-tell';

const URL_MESSAGE = 'must be an http or https URL without user, query or fragment';
const SECONDS_MESSAGE = 'must be a whole number of seconds, 5 to 720';
const STATES_MESSAGE = 'must be a list of states of 1 to 100 printable characters';

/** What no field of a kind may be, with the messages where all rails have the same one. */
const KINDS = {
  url: {
    message: URL_MESSAGE,
    values: [
      `ftp://${SECRET}.example`,
      `https://user:${SECRET}@rail.example`,
      `https://${SECRET}@rail.example`,
      `https://rail.example/?key=${SECRET}`,
      'https://rail.example/#a',
      'https://rail.example/a b',
      'https://',
      SECRET,
      7,
    ],
  },
  flag: { message: 'must be true or false', values: [SECRET, 'true', 1] },
  seconds: { message: SECONDS_MESSAGE, values: [4, 721, 60.5, '60', SECRET] },
  states: {
    message: STATES_MESSAGE,
    values: [SECRET, [' '], [`${SECRET}\n`], ['x'.repeat(101)], [7]],
  },
  phrase: {
    message: 'must be printable ASCII without spaces around it, at most 2048 characters',
    values: ['', ` ${SECRET}`, `${SECRET}\n`, `${SECRET}\u00a0`, 'ሚስጥር', 'x'.repeat(2_049), 77_123],
  },
  /** `credential` of any length. */
  credential: { message: null, values: ['', `${SECRET} blank`, 'ሚስጥር', 'x'.repeat(513), 7, null] },
} as const;

interface Rail {
  readonly name: string;
  readonly schema: v.GenericSchema;
  /** The required fields. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly fields: Partial<Record<keyof typeof KINDS, readonly string[]>>;
  /** What else is wrong: the field, a value, and the path of the problem if it is not the field. */
  readonly wrong: readonly (readonly [field: string, value: unknown, path?: string])[];
}

const keys = rsaKeyPair();
const theirs = rsaKeyPair();
const H5 = {
  webPageUrl: 'https://telebirr.example/payment/web/paygate',
  fabricAppId: 'c4182ef8-9249-458a-985e-06d191f4d505',
  appSecret: 'fad0f06383c6297f545876694b974599',
  merchantAppId: '1072905731584000',
  merchantCode: '200001',
  merchantPrivateKey: bareBase64(keys.privateKey),
  telebirrPublicKey: bareBase64(theirs.publicKey),
};
const NBG = {
  gateway: 'nbg',
  baseUrl: 'https://cbs-uat.ethswitch.et:4443',
  username: 'operator@example.et',
  password: 'secret',
  billerBin: 'NEEUETAA',
  callbackAddresses: ['196.188.1.2', '2001:db8::a'],
};
const CARDS = {
  gateway: 'cards',
  baseUrl: 'https://epg.ethswitch.et:9443/epg/rest',
  userName: 'operator-api',
  password: 'secret',
};
const QUERY = { initiator: 'operator', securityCredential: CREDENTIAL };
/** Plain passwords, and what is not the base64 of an RSA key's length. */
const NOT_ENCRYPTED = ['plain-password', 'c2VjcmV0', CREDENTIAL.slice(4), `${CREDENTIAL}A`];

const RAILS: readonly Rail[] = [
  {
    name: 'telebirr H5',
    schema: telebirrH5Settings,
    given: H5,
    defaults: {
      apiBaseUrl: 'https://superapp.ethiomobilemoney.et:38443/apiaccess/payment/gateway',
      signatureScheme: 'pss32',
      payeeType: '5000',
      callTimeoutMs: 15_000,
      refundRepeats: false,
      inApp: false,
      miniApp: false,
    },
    fields: {
      url: ['apiBaseUrl', 'webPageUrl'],
      flag: ['refundRepeats', 'inApp', 'miniApp'],
    },
    wrong: [
      ['webPageUrl', undefined],
      ['fabricAppId', H5.merchantAppId],
      ['appSecret', 'two words'],
      ['appSecret', 17],
      ['merchantAppId', H5.fabricAppId],
      ['merchantCode', '0200001'],
      ['merchantPrivateKey', String(keys.privateKey.export({ format: 'pem', type: 'pkcs1' }))],
      ['merchantPrivateKey', H5.telebirrPublicKey],
      ['merchantPrivateKey', H5.merchantPrivateKey.slice(0, -4)],
      ['merchantPrivateKey', 'no base64!'],
      ['telebirrPublicKey', H5.merchantPrivateKey],
      ['telebirrPublicKey', null],
      ['telebirrPublicKey', bareBase64(keys.publicKey)],
      ['signatureScheme', 'pss64'],
      ['payeeType', '4000'],
      ['appPayeeType', '4000'],
      ['callTimeoutMs', 50],
      ['callTimeoutMs', '1000'],
    ],
  },
  {
    name: 'telebirr USSD',
    schema: telebirrUssdSettings,
    given: TELEBIRR_USSD_SETTINGS,
    defaults: {
      namespace: 'cpsinterface',
      waitsForResult: false,
      phonePrefixes: ['2519', '2517'],
      relayHeaders: {},
      resultBaseUrl: null,
      resultToken: null,
      reasons: {},
      promptWindowSeconds: 120,
    },
    fields: {
      flag: ['waitsForResult'],
      seconds: ['promptWindowSeconds'],
      phrase: ['thirdPartyId', 'password', 'operatorId', 'securityCredential'],
    },
    wrong: [
      ['relayUrl', `https://${SECRET}\u0007`],
      ['relayUrl', `ftp://${SECRET}`],
      ['relayUrl', `https://user:${SECRET}@relay.example.com/`],
      ['relayUrl', 'https:///path'],
      ['relayUrl', 'https://host:port/'],
      ['relayUrl', 1],
      ['relayUrl', null],
      ['relayHeaders', SECRET],
      ['relayHeaders', { Authorization: `${SECRET}\u0007` }, 'relayHeaders.Authorization'],
      ['relayHeaders', { Authorization: 1 }, 'relayHeaders.Authorization'],
      ['relayHeaders', { 'Content-Type': 'text/plain' }, 'relayHeaders.Content-Type'],
      ['relayHeaders', { 'a b': 'x' }, 'relayHeaders.a b'],
      ['resultBaseUrl', `https://relay.example.com/?${SECRET}`],
      ['resultToken', 'short'],
      ['resultToken', `${SECRET}\u0007`.repeat(10)],
      ['namespace', SECRET],
      ['phonePrefixes', []],
      ['phonePrefixes', ['09'], 'phonePrefixes.0'],
      ['shortCode', '200 001'],
      ['shortCode', 200_001],
      ['reasons', SECRET],
      ['reasons', { '1': SECRET }, 'reasons.1'],
      ['reasons', { '1': 'abandoned' }, 'reasons.1'],
      ['reasons', { '0': 'declined' }, 'reasons.0'],
      ['reasons', { 'a b': 'declined' }, 'reasons.a b'],
    ],
  },
  {
    name: 'CBE Birr',
    schema: cbeBirrSettingsSchema,
    given: {
      user: 'shop',
      password: 'word and more',
      tillCode: '003',
      secret: 'shh',
      paidStates: ['PAID'],
    },
    defaults: {
      baseUrl: 'https://cbebirrpaymentgateway.cbe.com.et:8888',
      statusBaseUrl: null,
      failedStates: [],
      transactionIdCharactersMax: 36,
      pageWindowSeconds: 300,
    },
    fields: {
      url: ['baseUrl', 'statusBaseUrl'],
      seconds: ['pageWindowSeconds'],
      phrase: ['user', 'password', 'tillCode', 'secret'],
      states: ['paidStates', 'failedStates'],
    },
    wrong: [
      ['paidStates', []],
      ['failedStates', ['paid']],
      ['transactionIdCharactersMax', 19],
      ['transactionIdCharactersMax', 36.5],
      ['transactionIdCharactersMax', '36'],
    ],
  },
  {
    name: 'EthSwitch, billing gateway',
    schema: ethswitchSettings,
    given: NBG,
    defaults: { pageWindowSeconds: 300 },
    fields: { url: ['baseUrl'], seconds: ['pageWindowSeconds'] },
    wrong: [
      ['gateway', 'epg'],
      ['username', ''],
      ['password', 7],
      ['password', SECRET.repeat(100)],
      ['billerBin', 'SEC RET'],
      ['callbackAddresses', SECRET],
      ['callbackAddresses', [SECRET], 'callbackAddresses.0'],
      ['callbackAddresses', [`::1%${SECRET}`], 'callbackAddresses.0'],
      ['callbackAddresses', Array(33).fill('::1')],
    ],
  },
  {
    name: 'EthSwitch, card gateway',
    schema: ethswitchSettings,
    given: CARDS,
    defaults: {
      language: 'en',
      dynamicCallbackUrl: false,
      callbackToken: null,
      reversalMinutes: null,
      refundRepeats: false,
    },
    fields: { url: ['baseUrl'], flag: ['dynamicCallbackUrl', 'refundRepeats'] },
    wrong: [
      ['language', SECRET],
      ['callbackToken', SECRET],
      ['callbackToken', `${SECRET}/`.repeat(6)],
      ['callbackToken', 'S'.repeat(129)],
      ...[SECRET, 0, 1.5, 1_441].map((minutes) => ['reversalMinutes', minutes] as const),
    ],
  },
  {
    name: 'M-PESA',
    schema: mpesaSettingsSchema,
    given: VALID_SETTINGS,
    defaults: {
      baseUrl: 'https://api.safaricom.et',
      transactionType: 'CustomerPayBillOnline',
      passwordForm: 'sha256_hex',
      promptWindowSeconds: 180,
      wholeAmountsOnly: true,
    },
    fields: {
      url: ['baseUrl'],
      flag: ['wholeAmountsOnly'],
      seconds: ['promptWindowSeconds'],
      credential: ['consumerKey', 'consumerSecret', 'passkey'],
    },
    wrong: [
      ['consumerKey', 'has:colon'],
      ['shortcode', '10a20'],
      ['partyB', 'ab'],
      ['partyB', '12345678901'],
      ['transactionType', SECRET],
      ['passwordForm', SECRET],
      ['statusQuery', true],
      ['statusQuery', { initiator: 'operator' }, 'statusQuery.securityCredential'],
      ['statusQuery', { ...QUERY, initiator: 'a b' }, 'statusQuery.initiator'],
      ...NOT_ENCRYPTED.map(
        (securityCredential) =>
          [
            'statusQuery',
            { ...QUERY, securityCredential },
            'statusQuery.securityCredential',
          ] as const,
      ),
      ['statusQuery', { ...QUERY, transactionId: 'receipt' }, 'statusQuery.transactionId'],
      ['statusQuery', { ...QUERY, failedStates: ['completed'] }, 'statusQuery.failedStates'],
      ['statusQuery', { ...QUERY, more: 1 }, 'statusQuery.more'],
      ['refunds', true],
      ['refunds', { ...QUERY, initiator: 'a b' }, 'refunds.initiator'],
      ['refunds', { initiator: 'operator' }, 'refunds.securityCredential'],
      ['refunds', { ...QUERY, securityCredential: 'plain' }, 'refunds.securityCredential'],
      ['refunds', { ...QUERY, takesParts: 'yes' }, 'refunds.takesParts'],
      ['refunds', { ...QUERY, receiverParty: 'me' }, 'refunds.receiverParty'],
      ['refunds', { ...QUERY, more: 1 }, 'refunds.more'],
    ],
  },
  {
    name: 'eBirr',
    schema: ebirrSettingsSchema,
    given: { merchantUid: 'M1234567', apiUserId: '1234567', apiKey: 'API-secret-secret' },
    defaults: {
      baseUrl: 'https://payments.ebirr.com/asm',
      paymentMethod: 'MWALLET_ACCOUNT',
      sendsReturnUrl: true,
      phonePrefixes: ['2519'],
      promptWindowSeconds: 60,
    },
    fields: {
      url: ['baseUrl'],
      flag: ['sendsReturnUrl'],
      seconds: ['promptWindowSeconds'],
      credential: ['merchantUid', 'apiUserId', 'apiKey'],
    },
    wrong: [
      ['prefix', `${SECRET}!`],
      ['paymentMethod', `${SECRET} 1`],
      ['phonePrefixes', []],
      ['phonePrefixes', [SECRET], 'phonePrefixes.0'],
      ['statusQuery', true],
      ['statusQuery', { failedStates: SECRET }, 'statusQuery.failedStates'],
      ['statusQuery', { failedStates: ['approved'] }, 'statusQuery.failedStates'],
      ['statusQuery', { [SECRET]: SECRET }, `statusQuery.${SECRET}`],
      ['refundService', SECRET],
      ['refundService', true],
    ],
  },
];

/** The messages by the path of the field. */
function problemsOf(schema: v.GenericSchema, settings: unknown): Readonly<Record<string, string>> {
  const { issues = [] } = v.safeParse(schema, settings);
  return Object.fromEntries(issues.map((issue) => [v.getDotPath(issue) ?? '', issue.message]));
}

describe.each(RAILS)('$name', ({ schema, given, defaults, fields, wrong }) => {
  test('has required fields, and these defaults for the others', () => {
    expect(v.parse(schema, given)).toEqual({ ...given, ...defaults });
    for (const field of Object.keys(given).filter((name) => name !== 'gateway')) {
      const { [field]: _, ...rest } = given;
      expect(problemsOf(schema, rest)).toEqual({ [field]: 'is missing' });
    }
  });

  test.each([[null], ['text'], [7], [[]]])('rejects %j', (settings) => {
    const [message] = Object.values(problemsOf(schema, settings));
    expect(message).toMatch(/^(?:must be a JSON object|is missing|must be one of "nbg", "cards")$/);
  });

  test('rejects an unknown field', () => {
    expect(problemsOf(schema, { ...given, [SECRET]: SECRET })).toEqual({
      [SECRET]: 'is not a setting of this rail',
    });
  });

  const cases = Object.entries(KINDS).flatMap(([kind, { message, values }]) =>
    (fields[kind as keyof typeof KINDS] ?? []).flatMap((field) =>
      values.map((value) => ({ field, value, message })),
    ),
  );

  test('rejects what no field of its kind may be', () => {
    for (const { field, value, message } of cases) {
      const problems = Object.entries(problemsOf(schema, { ...given, [field]: value }));
      expect(problems, `${field} ${JSON.stringify(value)}`).toHaveLength(1);
      const [[path = '', said = ''] = []] = problems;
      expect(path.split('.')[0]).toBe(field);
      expect(said).toEqual(message ?? expect.stringMatching(/^must be [^']*$/));
      expect(said).not.toContain(SECRET);
    }
  });

  const own = wrong.map(([field, value, path = field]) => ({ field, value, path }));

  test.each(own)('rejects $field $value', ({ field, value, path }) => {
    const problems = problemsOf(schema, { ...given, [field]: value });
    expect(Object.keys(problems)).toEqual([path]);
    expect(problems[path]).toMatch(/^(?:must |is )/);
    expect(problems[path]).not.toContain(SECRET);
    if (typeof value === 'string' && value !== '') {
      expect(problems[path]).not.toContain(value);
    }
  });
});

describe('what settings take', () => {
  test('URLs lose slashes and question marks at the end, and may be of a relay', () => {
    const schema = ethswitchSettings;
    const baseUrlOf = (baseUrl: string) => v.parse(schema, { ...CARDS, baseUrl }).baseUrl;
    expect(baseUrlOf('https://relay.example.com/mpesa//')).toBe('https://relay.example.com/mpesa');
    expect(baseUrlOf('https://telebirr.example/paygate?')).toBe('https://telebirr.example/paygate');
    for (const url of ['http://197.156.90.228', 'http://localhost:8080/a', 'https://[::1]:1']) {
      expect(baseUrlOf(url)).toBe(url);
    }
  });

  test('states are trimmed and compared in upper case', () => {
    const given = { user: 'u', password: 'p', tillCode: 't', secret: 's', paidStates: [' Ok '] };
    expect(v.parse(cbeBirrSettingsSchema, given).paidStates).toEqual(['OK']);
  });

  test('addresses of callbacks are compared in one spelling; an empty list allows all', () => {
    const addressesOf = (callbackAddresses: readonly string[]) =>
      v.parse(ethswitchSettings, { ...NBG, callbackAddresses });
    expect(addressesOf(['2001:DB8:0:0::00A'])).toMatchObject({
      callbackAddresses: ['2001:db8::a'],
    });
    expect(addressesOf([])).toMatchObject({ callbackAddresses: [] });
  });

  test('telebirr’s keys may be PEM, with escaped line breaks or not', () => {
    const pem = String(keys.privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const telebirrPublicKey = String(theirs.publicKey.export({ format: 'pem', type: 'spki' }));
    for (const merchantPrivateKey of [pem, pem.replaceAll('\n', '\\n')]) {
      const parsed = v.parse(telebirrH5Settings, { ...H5, merchantPrivateKey, telebirrPublicKey });
      expect(parsed).toMatchObject(H5);
    }
  });

  test('the USSD push takes all fields', () => {
    const all = {
      ...TELEBIRR_USSD_SETTINGS,
      relayUrl: 'http://10.1.2.3:8080/telebirr?to=cps',
      namespace: 'synccpsinterface',
      waitsForResult: true,
      phonePrefixes: ['2519'],
      relayHeaders: { 'CF-Access-Client-Id': 'a.access', 'CF-Access-Client-Secret': 'b c' },
      resultBaseUrl: 'http://10.1.2.3:8080/kefel/',
      resultToken: 'x'.repeat(32),
      reasons: { '1': 'insufficient_funds', E8003: 'wrong_pin', E8004: 'unknown' },
      promptWindowSeconds: 60,
    };
    expect(v.parse(telebirrUssdSettings, all)).toEqual(all);
  });
});
