import '../../../scripts/project/node-md5.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Bindings } from '../../../src/engine/config.ts';
import { METHODS, type Method } from '../../../src/engine/domain/method.ts';
import type { Rail } from '../../../src/engine/rails/rail.ts';
import { methodSupport } from '../../../src/engine/rails/registry.ts';
import {
  configuredRail,
  methodOfSharedAddress,
  railConfiguration,
  railSecretName,
} from '../../../src/engine/rails/settings.ts';
import { ENVIRONMENTS, type Environment } from '../../../src/kit/tenant.ts';
import { orderFor } from '../../support/rails/order.ts';
import {
  COMPLETE,
  envOf,
  envWithAll,
  NBG,
  RAIL_IDS,
  SECRET_TEXT,
  type Settings,
} from './rail-settings-fixture.ts';

/**
 * Goal: docs/decisions.md#22, #23: a method is enabled by its secret and by nothing else, and the
 * error of a wrong secret names the field but never its content. Method: an `env` made of secrets,
 * for all six methods.
 */

afterEach(() => vi.restoreAllMocks());

/** The methods that have a rail. */
function enabled(env: Bindings, environment: Environment): Method[] {
  return METHODS.filter((method) => configuredRail(env, environment, method) !== null);
}

function railIn(env: Bindings, environment: Environment, method: Method): Rail {
  const rail = configuredRail(env, environment, method);
  if (rail === null) {
    throw new Error(`${method} is not configured`);
  }
  return rail;
}

/** The faults in the settings of an environment. */
function faultsOf(env: Bindings, environment: Environment): string[] {
  return METHODS.flatMap((method) => {
    const configuration = railConfiguration(env, environment, method);
    return configuration.state === 'misconfigured' ? [configuration.problem] : [];
  });
}

/** The fault of the only configured secret. */
function faultOf(env: Bindings, environment: Environment = 'production'): string {
  const [fault, ...others] = faultsOf(env, environment);
  if (fault === undefined || others.length > 0) {
    throw new Error(`${1 + others.length} faults instead of one`);
  }
  return fault;
}

/**
 * The fault of one method's secret that is complete except for `changes`; undefined leaves a field
 * out.
 */
function faultWith(method: Method, changes: Settings, environment: Environment = 'production') {
  const settings = { ...COMPLETE[method], ...changes };
  return faultOf(envOf({ [railSecretName(environment, method)]: settings }), environment);
}

/** The errors that are logged from now on. */
function watchErrors(): unknown[] {
  const lines: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => {
    lines.push(JSON.parse(line));
  });
  return lines;
}

const otherOf = (environment: Environment) =>
  environment === 'sandbox' ? 'production' : 'sandbox';

describe('the configured rails', () => {
  test('decisions.md#23: there are none without a secret', () => {
    const env = envOf({ RAIL_TELE_BIRR: COMPLETE.TELE_BIRR, RAIL_VISA_PRODUCTION: { a: 1 } });
    for (const environment of ENVIRONMENTS) {
      expect(faultsOf(env, environment)).toEqual([]);
      expect(enabled(env, environment)).toEqual([]);
    }
    for (const method of METHODS) {
      expect(methodSupport(env, 'production', method)).toBeNull();
    }
  });

  test.each(METHODS)(
    '%s: its secret enables only this method, only in its environment',
    (method) => {
      for (const environment of ENVIRONMENTS) {
        const name = railSecretName(environment, method);
        expect(name).toBe(`RAIL_${method}_${environment.toUpperCase()}`);
        const env = envOf({ [name]: COMPLETE[method] });
        expect(faultsOf(env, environment)).toEqual([]);
        expect(enabled(env, environment)).toEqual([method]);
        expect(configuredRail(env, environment, method)?.id).toBe(RAIL_IDS[method]);
        expect(enabled(env, otherOf(environment))).toEqual([]);
      }
    },
  );

  test('an empty secret counts as none, and so does a value that is not text', () => {
    const env = {
      RAIL_CBE_PRODUCTION: '',
      RAIL_E_BIRR_PRODUCTION: { fetch: () => null },
    } as unknown as Bindings;
    expect(faultsOf(env, 'production')).toEqual([]);
    expect(enabled(env, 'production')).toEqual([]);
  });

  test('are created once per env object', () => {
    const env = envWithAll('production', 'sandbox');
    for (const environment of ENVIRONMENTS) {
      const rails = METHODS.map((method) => configuredRail(env, environment, method));
      expect(METHODS.map((method) => configuredRail(env, environment, method))).toEqual(rails);
      for (const [index, method] of METHODS.entries()) {
        expect(configuredRail(env, environment, method)).toBe(rails[index]);
        expect(configuredRail({ ...env }, environment, method)).not.toBe(rails[index]);
      }
      expect(new Set(rails)).toHaveLength(METHODS.length);
    }
    // A rail made of one env object is not reused for another with the same names.
    expect(enabled(envOf({}), 'production')).toEqual([]);
  });

  test('a secret is read when its rail is first needed, and once', () => {
    const read: string[] = [];
    const env = new Proxy(envWithAll('production', 'sandbox'), {
      get: (target, name) => {
        read.push(String(name));
        return Reflect.get(target, name);
      },
    });
    const cbe = configuredRail(env, 'production', 'CBE');
    expect(configuredRail(env, 'production', 'CBE')).toBe(cbe);
    expect(read).toEqual(['RAIL_CBE_PRODUCTION']);
    expect(enabled(env, 'production')).toEqual(METHODS);
    expect(read.sort()).toEqual(METHODS.map((method) => `RAIL_${method}_PRODUCTION`).sort());
  });

  test.each(METHODS)('%s: the rails with a shared callback address are listed', (method) => {
    const rail = railIn(envWithAll('production'), 'production', method);
    expect(methodOfSharedAddress(rail.id)).toBe(rail.openCallback && method);
  });

  test('production and sandbox are never mixed', async () => {
    const secrets = Object.fromEntries(
      ENVIRONMENTS.map((environment) => [
        railSecretName(environment, 'CBE'),
        { ...COMPLETE.CBE, baseUrl: `https://${environment}.cbe.rail.test`, secret: environment },
      ]),
    );
    const env = envOf(secrets);
    const pages = ENVIRONMENTS.map(async (environment) => {
      const rail = railIn(env, environment, 'CBE');
      const order = { orderId: 'A2B3C4D5E6F7'.repeat(7).slice(0, 79) };
      const page = await rail.page?.(orderFor(rail, 'CBE', { terms: { environment }, order }));
      expect(page?.redirectUrl).toMatch(new RegExp(`^https://${environment}\\.cbe\\.rail\\.test/`));
      return new URL(page?.redirectUrl ?? '').search;
    });
    // Sealed with different secrets.
    expect(new Set(await Promise.all(pages))).toHaveLength(2);
  });

  test('the secret may leave out the known production addresses', () => {
    for (const [method, field] of ADDRESS_FIELDS.filter(([, , hasDefault]) => hasDefault)) {
      const { [field]: _, ...settings } = COMPLETE[method];
      const env = envOf({ [railSecretName('production', method)]: settings });
      expect(enabled(env, 'production')).toEqual([method]);
    }
  });
});

/** The address field of each rail, and whether production's address is known. */
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
    'decisions.md#22: %s in the sandbox requires the address of its test system',
    (method, field) => {
      const text = `RAIL_${method}_SANDBOX: ${field}: must name the rail's test system`;
      expect(faultWith(method, { [field]: undefined }, 'sandbox')).toBe(text);
      for (const json of [null, 7, 'text', []]) {
        const env = envOf({ [railSecretName('sandbox', method)]: JSON.stringify(json) });
        expect(faultOf(env, 'sandbox')).toBe(text);
      }
    },
  );

  test.each(METHODS)(
    '%s: the fault names a secret that is not JSON, without quoting it',
    (method) => {
      for (const text of [SECRET_TEXT, `{"apiKey": "${SECRET_TEXT}"`, `'${SECRET_TEXT}'`, ' ']) {
        for (const environment of ENVIRONMENTS) {
          const name = railSecretName(environment, method);
          expect(faultOf(envOf({ [name]: text }), environment)).toBe(`${name} must be JSON`);
        }
      }
    },
  );

  test.each(METHODS)('%s: rejects JSON that is not an object, without quoting it', (method) => {
    const name = railSecretName('production', method);
    for (const value of [null, 7, SECRET_TEXT, [SECRET_TEXT], true]) {
      const fault = faultOf(envOf({ [name]: JSON.stringify(value) }));
      expect(fault.startsWith(`${name}: `)).toBe(true);
      expect(fault).not.toContain(SECRET_TEXT);
    }
  });

  test('disables its method, and is logged once with the name of the field', () => {
    const lines = watchErrors();
    const env = envOf({
      RAIL_E_BIRR_PRODUCTION: COMPLETE.E_BIRR,
      RAIL_CBE_PRODUCTION: { ...COMPLETE.CBE, tillCode: 7 },
      RAIL_M_PESA_PRODUCTION: '{',
    });
    for (let times = 0; times < 2; times += 1) {
      expect(enabled(env, 'production')).toEqual(['E_BIRR']);
      expect(faultsOf(env, 'production')).toEqual([
        'RAIL_CBE_PRODUCTION: tillCode: must be printable ASCII without spaces around it, at most 2048 characters',
        'RAIL_M_PESA_PRODUCTION must be JSON',
      ]);
    }
    expect(lines).toEqual([
      {
        event: 'rail_misconfigured',
        secret: 'RAIL_CBE_PRODUCTION',
        problem:
          'RAIL_CBE_PRODUCTION: tillCode: must be printable ASCII without spaces around it, at most 2048 characters',
      },
      {
        event: 'rail_misconfigured',
        secret: 'RAIL_M_PESA_PRODUCTION',
        problem: 'RAIL_M_PESA_PRODUCTION must be JSON',
      },
    ]);
  });

  test('reports several faults at once', () => {
    const fault = faultWith('E_BIRR', { apiKey: undefined, merchantUid: 7, prefix: '?' });
    expect(fault.split('; ')).toHaveLength(3);
    expect(fault).toMatch(/apiKey: .*merchantUid: |merchantUid: .*apiKey: /);
    expect(fault).toContain('prefix: ');
  });

  test('EthSwitch requires the name of its gateway', () => {
    for (const gateway of [undefined, 'visa', SECRET_TEXT, 7]) {
      const fault = faultWith('ETS_SWITCH', { gateway });
      expect(fault).toBe('RAIL_ETS_SWITCH_PRODUCTION: gateway: must be one of "nbg", "cards"');
    }
  });

  test('accepts NBG’s callbacks from any address only in the sandbox, by an empty list', () => {
    const anywhere = { ...NBG, callbackAddresses: [] };
    expect(enabled(envOf({ RAIL_ETS_SWITCH_SANDBOX: anywhere }), 'sandbox')).toContain(
      'ETS_SWITCH',
    );
    const env = envOf({ RAIL_ETS_SWITCH_PRODUCTION: anywhere });
    expect(enabled(env, 'production')).toEqual([]);
    expect(faultOf(env)).toBe(
      "RAIL_ETS_SWITCH_PRODUCTION: callbackAddresses: must name the provider's addresses in production",
    );
  });

  /** URLs that Kefel calls or sends customers to. */
  const CALLED: readonly (readonly [Method, string, (url: string) => Settings])[] = [
    ...ADDRESS_FIELDS.map(
      ([method, field]) => [method, field, (url: string) => ({ [field]: url })] as const,
    ),
    ['TELE_BIRR', 'webPageUrl', (url) => ({ webPageUrl: url })],
    ['CBE', 'statusBaseUrl', (url) => ({ statusBaseUrl: url })],
    ['TELE_BIRR_USSD', 'statusQuery', (url) => ({ statusQuery: { relayUrl: url } })],
  ];

  test.each(CALLED)('%s: refuses a %s with plain http in production', (method, field, changed) => {
    expect(faultWith(method, changed('http://rail.test/path'))).toBe(
      `RAIL_${method}_PRODUCTION: ${field}: must begin with https://`,
    );
    const enabledWith = (environment: Environment, url: string) => {
      const settings = { ...COMPLETE[method], ...changed(url) };
      return enabled(envOf({ [railSecretName(environment, method)]: settings }), environment);
    };
    // Stand-ins of `npm run dev`, and a provider's test system.
    expect(enabledWith('production', 'http://localhost:8080/path')).toEqual([method]);
    expect(enabledWith('sandbox', 'http://rail.test/path')).toEqual([method]);
  });

  test('lets telebirr report with plain http in its private network', () => {
    const settings = { ...COMPLETE.TELE_BIRR_USSD, resultBaseUrl: 'http://10.1.2.3/kefel' };
    const env = envOf({ RAIL_TELE_BIRR_USSD_PRODUCTION: settings });
    expect(enabled(env, 'production')).toEqual(['TELE_BIRR_USSD']);
  });

  const NETWORK = { VPC_ETHIO: { fetch: async () => new Response() } };
  const THROUGH = { through: 'VPC_ETHIO' };

  test.each(METHODS)('%s: goes through a binding that the Worker has', (method) => {
    const name = railSecretName('production', method);
    const secret = envOf({ [name]: { ...COMPLETE[method], ...THROUGH } });
    const configured = railConfiguration({ ...secret, ...NETWORK }, 'production', method);
    expect(configured).toMatchObject({ state: 'configured', through: 'VPC_ETHIO' });
    watchErrors();
    expect(railConfiguration(secret, 'production', method)).toEqual({
      state: 'misconfigured',
      problem: `${name}: through: the Worker has no binding VPC_ETHIO, which vpcServices in the deployment file names`,
    });
  });

  test.each(['ASSETS', 'DB', 'VPC_', 'VPC_a', 'constructor', '', 7, null, {}, [THROUGH]])(
    'cannot go through %j',
    (through) => {
      expect(faultWith('E_BIRR', { through })).toMatch(
        /^RAIL_E_BIRR_PRODUCTION: through: must be the name of a binding: VPC_ /,
      );
    },
  );

  test.each(CALLED)('%s: a binding allows plain http for a relayUrl, not for %s', (...called) => {
    const [method, field, changed] = called;
    const settings = { ...COMPLETE[method], ...changed('http://10.1.2.3:30001/path'), ...THROUGH };
    const secret = envOf({ [railSecretName('production', method)]: settings });
    const configuration = railConfiguration({ ...secret, ...NETWORK }, 'production', method);
    const isPrivate = method === 'TELE_BIRR_USSD';
    watchErrors();
    expect(configuration).toMatchObject(
      isPrivate
        ? { state: 'configured' }
        : { problem: expect.stringContaining(`${field}: must begin with https://`) },
    );
  });

  /** Nested settings, with the name of the outer field. */
  const NESTED: readonly (readonly [Method, Settings, string])[] = [
    ['TELE_BIRR_USSD', { relayHeaders: { [`X-${SECRET_TEXT}`]: 7 } }, 'relayHeaders'],
    ['TELE_BIRR_USSD', { relayHeaders: { [`${SECRET_TEXT} ?`]: 'value' } }, 'relayHeaders'],
    ['TELE_BIRR_USSD', { relayHeaders: { Host: SECRET_TEXT } }, 'relayHeaders'],
    ['TELE_BIRR_USSD', { reasons: { [SECRET_TEXT]: 'sup3r' } }, 'reasons'],
    ['CBE', { paidStates: [SECRET_TEXT, 7] }, 'paidStates'],
    ['CBE', { failedStates: [SECRET_TEXT, ''] }, 'failedStates'],
    ['CBE', { paidStates: [SECRET_TEXT], failedStates: [SECRET_TEXT] }, 'failedStates'],
    ['E_BIRR', { phonePrefixes: ['2519', SECRET_TEXT] }, 'phonePrefixes'],
    ['ETS_SWITCH', { ...NBG, callbackAddresses: [SECRET_TEXT] }, 'callbackAddresses'],
    ['ETS_SWITCH', { ...NBG, callbackAddresses: [{ [SECRET_TEXT]: 7 }] }, 'callbackAddresses'],
  ];

  test.each(NESTED)('%s: the fault of %j names only the outer field', (method, changes, field) => {
    const { gateway } = changes;
    const fault = gateway === undefined ? faultWith(method, changes) : faultOfSettings(changes);
    expect(fault).toMatch(new RegExp(`^RAIL_${method}_PRODUCTION: ${field}: \\S`));
    expect(fault.split(': ')).toHaveLength(3);
    expect(fault).not.toMatch(/Sup3r|sup3r/);
  });

  function faultOfSettings(settings: Settings): string {
    return faultOf(envOf({ RAIL_ETS_SWITCH_PRODUCTION: settings }));
  }
});
