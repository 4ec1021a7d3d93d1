import { describe, expect, test } from 'vitest';
import { type Bindings, ConfigError } from '../../src/config.ts';
import type { IntentTerms } from '../../src/domain/intent.ts';
import {
  CURRENCIES,
  ENVIRONMENTS,
  type Environment,
  METHODS,
  type Method,
} from '../../src/domain/method.ts';
import { currenciesOf, railFor, railOf, takesPhone } from '../../src/rails/registry.ts';
import { checkRailSettings, configuredRail, railSecretName } from '../../src/rails/settings.ts';
import telebirr from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };
import { attemptWith, termsWith } from '../support/checkout-fixtures.ts';
import { orderFor } from '../support/rails/order.ts';

/**
 * Goal: decisions 22 and 23: a method is enabled by its secret and by nothing else, a wrong secret
 * is named with the field that is wrong and never with what stands in it, and the sandbox never
 * meets a production rail. Method: an `env` made of secrets, for all six methods.
 */

type Settings = Readonly<Record<string, unknown>>;

/** Nothing that stands in a secret may ever stand in a message. */
const SECRET_TEXT = 'Sup3rS3cret';

/** What each rail cannot do without, with its test system's address. */
const COMPLETE: Readonly<Record<Method, Settings>> = {
  TELE_BIRR: {
    apiBaseUrl: 'https://telebirr.rail.test/gateway',
    webPageUrl: 'https://telebirr.rail.test/paygate',
    fabricAppId: 'c4182ef8-9249-458a-985e-06d191f4d505',
    appSecret: `${SECRET_TEXT}App`,
    merchantAppId: '1072905731584000',
    merchantCode: '200001',
    merchantPrivateKey: telebirr.merchantKey.pkcs8_b64_der,
    telebirrPublicKey: telebirr.platformKey.spki_b64_der,
  },
  TELE_BIRR_USSD: {
    relayUrl: 'https://ussd.rail.test/relay',
    thirdPartyId: 'KefelThirdParty',
    password: `${SECRET_TEXT}Password`,
    operatorId: 'KefelOperator',
    securityCredential: `${SECRET_TEXT}Credential`,
    shortCode: '908070',
  },
  CBE: {
    baseUrl: 'https://cbe.rail.test',
    user: 'KefelUser',
    password: `${SECRET_TEXT}Password`,
    tillCode: '001001',
    secret: `${SECRET_TEXT}Key`,
    paidStates: ['BIRR MOVED'],
  },
  ETS_SWITCH: {
    gateway: 'cards',
    baseUrl: 'https://cards.rail.test/epg/rest',
    userName: 'kefel-api',
    password: `${SECRET_TEXT}Password`,
  },
  M_PESA: {
    baseUrl: 'https://mpesa.rail.test',
    consumerKey: 'KefelConsumerKey',
    consumerSecret: `${SECRET_TEXT}Consumer`,
    shortcode: '908070',
    passkey: `${SECRET_TEXT}Passkey`,
  },
  E_BIRR: {
    baseUrl: 'https://ebirr.rail.test/asm',
    merchantUid: 'M9080706',
    apiUserId: '9080706',
    apiKey: `${SECRET_TEXT}ApiKey`,
  },
};

const NBG: Settings = {
  gateway: 'nbg',
  baseUrl: 'https://nbg.rail.test',
  username: 'KefelNbg',
  password: `${SECRET_TEXT}Password`,
  billerBin: 'NEEUETAA',
  callbackAddresses: [],
};

const RAIL_IDS: Readonly<Record<Method, string>> = {
  TELE_BIRR: 'telebirr-h5',
  TELE_BIRR_USSD: 'telebirr-ussd',
  CBE: 'cbe-birr',
  ETS_SWITCH: 'ethswitch-cards',
  M_PESA: 'stk-push',
  E_BIRR: 'ebirr',
};

/** The bindings of a Worker that has these secrets, as text or as what JSON is made of. */
function envOf(secrets: Readonly<Record<string, unknown>>): Bindings {
  const texts = Object.entries(secrets).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts) as Bindings;
}

function envWithAll(...environments: readonly Environment[]): Bindings {
  return envOf(
    Object.fromEntries(
      environments.flatMap((environment) =>
        METHODS.map((method) => [railSecretName(environment, method), COMPLETE[method]]),
      ),
    ),
  );
}

/** The message of the ConfigError that this env leads to. */
function faultOf(env: Bindings): string {
  try {
    for (const environment of ENVIRONMENTS) {
      checkRailSettings(env, environment);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).cause).toBeUndefined();
    return (error as Error).message;
  }
  throw new Error('nothing was found wrong');
}

/** The fault of one method's secret that is complete but for `changes`; undefined leaves out. */
function faultWith(method: Method, changes: Settings, environment: Environment = 'production') {
  const settings = { ...COMPLETE[method], ...changes };
  return faultOf(envOf({ [railSecretName(environment, method)]: settings }));
}

function railsOf(env: Bindings, environment: Environment) {
  return METHODS.filter((method) => configuredRail(env, environment, method) !== null);
}

describe('which rails there are', () => {
  test('decision 23: without a secret, none', () => {
    const env = envOf({ RAIL_TELE_BIRR: COMPLETE.TELE_BIRR, RAIL_VISA_PRODUCTION: { a: 1 } });
    expect(ENVIRONMENTS.flatMap((environment) => railsOf(env, environment))).toEqual([]);
    for (const method of METHODS) {
      expect(currenciesOf(env, 'production', method)).toEqual([]);
    }
  });

  test.each(METHODS)('%s: its secret enables it alone, in its environment alone', (method) => {
    for (const environment of ENVIRONMENTS) {
      const name = railSecretName(environment, method);
      expect(name).toBe(`RAIL_${method}_${environment.toUpperCase()}`);
      const env = envOf({ [name]: COMPLETE[method] });
      expect(railsOf(env, environment)).toEqual([method]);
      expect(configuredRail(env, environment, method)?.id).toBe(RAIL_IDS[method]);
      expect(railsOf(env, environment === 'sandbox' ? 'production' : 'sandbox')).toEqual([]);
    }
  });

  test('an empty secret is none, and neither is what is no text', () => {
    const env = { RAIL_CBE_PRODUCTION: '', RAIL_E_BIRR_PRODUCTION: { fetch: () => null } };
    expect(railsOf(env as unknown as Bindings, 'production')).toEqual([]);
  });

  test('made once for each env object, and anew for another', () => {
    const env = envWithAll('production', 'sandbox');
    const rail = configuredRail(env, 'production', 'CBE');
    expect(configuredRail(env, 'production', 'CBE')).toBe(rail);
    expect(configuredRail({ ...env }, 'production', 'CBE')).not.toBe(rail);
    // What is made of one env is not what was made of another that names the same.
    expect(configuredRail(envOf({}), 'production', 'CBE')).toBeNull();
  });

  test('a secret that is wrong goes on being found', () => {
    const env = envOf({ RAIL_CBE_PRODUCTION: '{' });
    expect([faultOf(env), faultOf(env)]).toEqual(Array(2).fill('RAIL_CBE_PRODUCTION must be JSON'));
  });

  test('a secret that is wrong is no other rail’s trouble, nor the other environment’s', () => {
    const env = envOf({
      ...envWithAll('production', 'sandbox'),
      RAIL_CBE_PRODUCTION: '{',
    } as Settings);
    const attempt = attemptWith({ method: 'M_PESA', railId: RAIL_IDS.M_PESA });
    const terms = termsWith({ environment: 'production' });
    expect(railFor(env, terms, 'M_PESA')?.id).toBe(RAIL_IDS.M_PESA);
    expect(railOf(env, terms, attempt)?.id).toBe(RAIL_IDS.M_PESA);
    expect(() => railFor(env, terms, 'CBE')).toThrow(ConfigError);
    expect(() => checkRailSettings(env, 'production')).toThrow(ConfigError);
    expect(() => checkRailSettings(env, 'sandbox')).not.toThrow();
  });

  test('production and sandbox are never mixed', () => {
    const secrets = Object.fromEntries(
      ENVIRONMENTS.map((environment) => [
        railSecretName(environment, 'CBE'),
        { ...COMPLETE.CBE, baseUrl: `https://${environment}.cbe.rail.test`, secret: environment },
      ]),
    );
    const env = envOf(secrets);
    for (const environment of ENVIRONMENTS) {
      const rail = configuredRail(env, environment, 'CBE');
      const page = rail?.page(orderFor(rail, 'CBE', { terms: { environment } }));
      expect(page?.redirectUrl).toMatch(new RegExp(`^https://${environment}\\.cbe\\.rail\\.test/`));
    }
  });

  test('the production addresses are known: the secret may leave them out', () => {
    for (const [method, field] of ADDRESS_FIELDS.filter(([, , hasDefault]) => hasDefault)) {
      const { [field]: _, ...settings } = COMPLETE[method];
      const env = envOf({ [railSecretName('production', method)]: settings });
      expect(railsOf(env, 'production')).toEqual([method]);
    }
  });
});

/** Where each rail's system is said to be, and whether production's is known. */
const ADDRESS_FIELDS: readonly (readonly [Method, string, boolean])[] = [
  ['TELE_BIRR', 'apiBaseUrl', true],
  ['TELE_BIRR_USSD', 'relayUrl', false],
  ['CBE', 'baseUrl', true],
  ['ETS_SWITCH', 'baseUrl', false],
  ['M_PESA', 'baseUrl', true],
  ['E_BIRR', 'baseUrl', true],
];

describe('a wrong secret', () => {
  test.each(ADDRESS_FIELDS)(
    'decision 22: %s in the sandbox must say where its test system is',
    (method, field) => {
      const text = `RAIL_${method}_SANDBOX: ${field}: must name the rail's test system`;
      expect(faultWith(method, { [field]: undefined }, 'sandbox')).toBe(text);
      for (const json of [null, 7, 'text', []]) {
        expect(faultOf(envOf({ [railSecretName('sandbox', method)]: JSON.stringify(json) }))).toBe(
          text,
        );
      }
    },
  );

  test.each(METHODS)('%s: what is no JSON is named, and nothing of it is quoted', (method) => {
    for (const text of [SECRET_TEXT, `{"apiKey": "${SECRET_TEXT}"`, `'${SECRET_TEXT}'`, ' ']) {
      for (const environment of ENVIRONMENTS) {
        const name = railSecretName(environment, method);
        expect(faultOf(envOf({ [name]: text }))).toBe(`${name} must be JSON`);
      }
    }
  });

  test.each(METHODS)('%s: JSON that is no object is refused without its value', (method) => {
    const name = railSecretName('production', method);
    for (const value of [null, 7, SECRET_TEXT, [SECRET_TEXT], true]) {
      const fault = faultOf(envOf({ [name]: JSON.stringify(value) }));
      expect(fault.startsWith(`${name}: `)).toBe(true);
      expect(fault).not.toContain(SECRET_TEXT);
    }
  });

  const REQUIRED = METHODS.flatMap((method) =>
    Object.keys(COMPLETE[method])
      .filter(
        (field) => !ADDRESS_FIELDS.some(([m, f, known]) => m === method && f === field && known),
      )
      .map((field) => [method, field] as const),
  );

  test.each(REQUIRED)(
    '%s without %s: the field is named, and nothing is quoted',
    (method, field) => {
      const fault = faultWith(method, { [field]: undefined });
      expect(fault).toMatch(new RegExp(`^RAIL_${method}_PRODUCTION: ${field}: \\S`));
      expectNothingOf(COMPLETE[method], fault);
    },
  );

  const FIELDS = METHODS.flatMap((method) =>
    Object.keys(COMPLETE[method]).map((field) => [method, field] as const),
  );

  test.each(FIELDS)('%s with a wrong %s: the field is named, its value is not', (method, field) => {
    for (const value of [{ a: SECRET_TEXT }, [[SECRET_TEXT]], 90_807_060, true, null, '']) {
      const fault = faultWith(method, { [field]: value });
      expect(fault).toMatch(new RegExp(`^RAIL_${method}_PRODUCTION: ${field}: \\S`));
      expect(fault).not.toMatch(/90807060|Sup3r/);
      expectNothingOf(COMPLETE[method], fault);
    }
  });

  test.each(METHODS)('%s: the faults of both environments are told apart', (method) => {
    const [field = ''] = Object.keys(COMPLETE[method]).slice(-1);
    for (const environment of ENVIRONMENTS) {
      const fault = faultWith(method, { [field]: 7 }, environment);
      expect(fault).toContain(`${railSecretName(environment, method)}: ${field}: `);
    }
  });

  test.each(METHODS)('%s: a field that it does not know is no default in disguise', (method) => {
    expect(faultWith(method, { colour: SECRET_TEXT })).toMatch(
      new RegExp(`^RAIL_${method}_PRODUCTION: colour: \\S`),
    );
    expect(faultWith(method, { colour: SECRET_TEXT })).not.toContain(SECRET_TEXT);
  });

  test('several faults are told at once', () => {
    const fault = faultWith('E_BIRR', { apiKey: undefined, merchantUid: 7, prefix: '?' });
    expect(fault.split('; ')).toHaveLength(3);
    expect(fault).toMatch(/apiKey: .*merchantUid: |merchantUid: .*apiKey: /);
    expect(fault).toContain('prefix: ');
  });

  test('what is named below a field may be a secret too', () => {
    const fault = faultWith('TELE_BIRR_USSD', { relayHeaders: { [`Bearer ${SECRET_TEXT}`]: 'x' } });
    expect(fault).toMatch(/^RAIL_TELE_BIRR_USSD_PRODUCTION: relayHeaders: \S/);
    expect(fault).not.toContain(SECRET_TEXT);
  });

  test('EthSwitch needs to know which of its gateways', () => {
    for (const gateway of [undefined, 'visa', SECRET_TEXT, 7]) {
      const fault = faultWith('ETS_SWITCH', { gateway });
      expect(fault).toBe('RAIL_ETS_SWITCH_PRODUCTION: gateway: Must be "nbg" or "cards".');
    }
    const { billerBin: _, ...incomplete } = NBG;
    expect(faultOf(envOf({ RAIL_ETS_SWITCH_PRODUCTION: incomplete }))).toMatch(
      /^RAIL_ETS_SWITCH_PRODUCTION: billerBin: /,
    );
  });

  /** Whatever stands in the secret, apart from words that a message may well consist of. */
  function expectNothingOf(settings: Settings, fault: string): void {
    for (const value of Object.values(settings)) {
      if (value !== settings.gateway) {
        expect(fault).not.toContain(String(value));
      }
    }
  }
});

describe('the rail of a payment', () => {
  const ALL = envWithAll('production', 'sandbox');
  const payment = (changes: Partial<IntentTerms>) => termsWith(changes);
  const PRODUCTION = payment({ environment: 'production' });

  test.each(METHODS)('production: %s by its own rail, or not at all', (method) => {
    for (const kind of ['hosted', 'express'] as const) {
      const terms = payment({ environment: 'production', kind });
      expect(railFor(ALL, terms, method)).toBe(configuredRail(ALL, 'production', method));
      expect(railFor(envWithAll('sandbox'), terms, method)).toBeNull();
      // Production never looks at testMode.
      expect(railFor(ALL, { ...terms, simulation: 'interactive' }, method)).toBe(
        configuredRail(ALL, 'production', method),
      );
    }
  });

  test('a currency that the rail does not take', () => {
    const usd = { ...PRODUCTION, currency: 'USD' } as const;
    expect(railFor(ALL, usd, 'M_PESA')).toBeNull();
    expect(railFor(ALL, usd, 'ETS_SWITCH')?.id).toBe('ethswitch-cards');
    const test = { environment: 'sandbox', kind: 'express', simulation: 'interactive' } as const;
    expect(railFor(ALL, { ...test, currency: 'USD' }, 'CBE')?.id).toBe('simulator');
  });

  test.each<[Method, string, boolean]>([
    ['M_PESA', '251711223344', true],
    ['M_PESA', '251911223344', false],
    ['E_BIRR', '251911223344', true],
    ['E_BIRR', '251711223344', false],
    ['TELE_BIRR_USSD', '251711223344', true],
  ])('%s takes %s: %s', (method, phone, isTaken) => {
    expect(takesPhone(ALL, PRODUCTION, method, phone)).toBe(isTaken);
    // The simulator takes any.
    expect(takesPhone(ALL, payment({ environment: 'sandbox' }), method, phone)).toBe(true);
  });

  const SIMULATED: readonly (readonly [string, Partial<IntentTerms>])[] = [
    ['hosted', { kind: 'hosted', simulation: null }],
    ['hosted, whatever it asks for', { kind: 'hosted', simulation: 'interactive' }],
    ['express SIMULATED_TEST that succeeds', { kind: 'express', simulation: 'succeed' }],
    ['express SIMULATED_TEST that fails', { kind: 'express', simulation: 'fail' }],
    ['express without a simulation', { kind: 'express', simulation: null }],
  ];

  test.each(SIMULATED)('decision 22: the sandbox simulates: %s', (_name, changes) => {
    const terms = payment({ environment: 'sandbox', ...changes });
    for (const method of METHODS) {
      for (const env of [ALL, envWithAll('sandbox'), envWithAll('production'), envOf({})]) {
        expect(railFor(env, terms, method)?.id).toBe('simulator');
      }
    }
  });

  test.each(METHODS)('decision 22: express ACTUAL_TEST of %s', (method) => {
    const terms = payment({ environment: 'sandbox', kind: 'express', simulation: 'interactive' });
    const sandbox = configuredRail(ALL, 'sandbox', method);
    expect(railFor(ALL, terms, method)).toBe(sandbox);
    expect(railFor(ALL, terms, method)).not.toBe(configuredRail(ALL, 'production', method));
    // Never production's, however much there is nothing else.
    expect(railFor(envWithAll('production'), terms, method)?.id).toBe('simulator');
  });

  test('every attempt finds the rail that it was started with', () => {
    for (const environment of ENVIRONMENTS) {
      for (const method of METHODS) {
        const attempt = attemptWith({ method, railId: RAIL_IDS[method] });
        expect(railOf(ALL, payment({ environment }), attempt)).toBe(
          configuredRail(ALL, environment, method),
        );
      }
    }
  });

  test('the simulator is a rail of the sandbox alone', () => {
    const attempt = attemptWith({ railId: 'simulator' });
    expect(railOf(ALL, payment({ environment: 'sandbox' }), attempt)?.id).toBe('simulator');
    expect(railOf(envOf({}), payment({ environment: 'sandbox' }), attempt)?.id).toBe('simulator');
    expect(railOf(ALL, PRODUCTION, attempt)).toBeNull();
  });

  test.each(METHODS)('%s: none when it is configured no more, or is another', (method) => {
    const attempt = attemptWith({ method, railId: RAIL_IDS[method] });
    expect(railOf(envOf({}), PRODUCTION, attempt)).toBeNull();
    expect(railOf(envWithAll('sandbox'), PRODUCTION, attempt)).toBeNull();
    for (const railId of ['', 'another', ...Object.values(RAIL_IDS)]) {
      const found = railOf(ALL, PRODUCTION, { ...attempt, railId });
      expect(found?.id).toBe(railId === RAIL_IDS[method] ? railId : undefined);
    }
  });

  test('currencies: all in the sandbox, the rail’s own in production, none without it', () => {
    for (const method of METHODS) {
      expect(currenciesOf(envOf({}), 'sandbox', method)).toEqual(CURRENCIES);
      expect(currenciesOf(ALL, 'sandbox', method)).toEqual(CURRENCIES);
      expect(currenciesOf(envWithAll('sandbox'), 'production', method)).toEqual([]);
      expect(currenciesOf(ALL, 'production', method)).toEqual(
        method === 'ETS_SWITCH' ? ['ETB', 'USD'] : ['ETB'],
      );
    }
    // Cards are of many banks; the billing gateway is of Ethiopia's.
    const nbg = envOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG });
    expect(currenciesOf(nbg, 'production', 'ETS_SWITCH')).toEqual(['ETB']);
  });
});
