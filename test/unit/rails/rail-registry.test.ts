import { describe, expect, test } from 'vitest';
import { canCharge } from '../../../src/engine/api/schema/methods.ts';
import type { Bindings } from '../../../src/engine/config.ts';
import { METHODS, type Method, TRAITS } from '../../../src/engine/domain/method.ts';
import type { IntentTerms } from '../../../src/engine/domain/terms.ts';
import type { RailRules } from '../../../src/engine/rails/rail.ts';
import {
  acceptsPhone,
  methodSupport,
  railFor,
  railOf,
} from '../../../src/engine/rails/registry.ts';
import {
  configuredRail,
  productionRules,
  railConfiguration,
  railSecretName,
} from '../../../src/engine/rails/settings.ts';
import { CURRENCIES } from '../../../src/kit/money.ts';
import { ENVIRONMENTS, type Environment } from '../../../src/kit/tenant.ts';
import { attemptWith, termsWith } from '../../support/checkout-fixtures.ts';
import { factOfAll } from '../../support/method-facts.ts';
import { COMPLETE, envOf, envWithAll, NBG, RAIL_IDS } from './rail-settings-fixture.ts';

/**
 * Goal: docs/decisions.md#13, #22, #23: each payment gets the rail that has its secret and accepts
 * its currency, the sandbox never uses a production rail, and a wrong secret affects no other rail.
 * Method: an `env` made of secrets, for all six methods.
 */

describe('the rail of a payment', () => {
  const ALL = envWithAll('production', 'sandbox');
  const payment = (changes: Partial<IntentTerms>) => termsWith(changes);
  const PRODUCTION = payment({ environment: 'production' });

  test.each(METHODS)('production: %s by its own rail, or not at all', (method) => {
    for (const kind of ['hosted', 'express'] as const) {
      const terms = payment({ environment: 'production', kind });
      expect(railFor(ALL, terms, method)).toBe(configuredRail(ALL, 'production', method));
      expect(railFor(envWithAll('sandbox'), terms, method)).toBeNull();
      // Production never reads testMode.
      expect(railFor(ALL, { ...terms, simulation: 'interactive' }, method)).toBe(
        configuredRail(ALL, 'production', method),
      );
    }
  });

  const SIMULATED: readonly (readonly [string, Partial<IntentTerms>])[] = [
    ['hosted', { kind: 'hosted', simulation: null }],
    ['hosted, for every testMode', { kind: 'hosted', simulation: 'interactive' }],
    ['express SIMULATED_TEST that succeeds', { kind: 'express', simulation: 'succeed' }],
    ['express SIMULATED_TEST that fails', { kind: 'express', simulation: 'fail' }],
    ['express without a simulation', { kind: 'express', simulation: null }],
  ];

  test.each(SIMULATED)('decisions.md#22: the sandbox simulates: %s', (_name, changes) => {
    const terms = payment({ environment: 'sandbox', ...changes });
    for (const method of METHODS) {
      for (const env of [ALL, envWithAll('sandbox'), envWithAll('production'), envOf({})]) {
        expect(railFor(env, terms, method)?.id).toBe('simulator');
      }
    }
  });

  test.each(METHODS)('decisions.md#22: express ACTUAL_TEST of %s', (method) => {
    const terms = payment({ environment: 'sandbox', kind: 'express', simulation: 'interactive' });
    const sandbox = configuredRail(ALL, 'sandbox', method);
    expect(railFor(ALL, terms, method)).toBe(sandbox);
    expect(railFor(ALL, terms, method)).not.toBe(configuredRail(ALL, 'production', method));
    // Never production's, even when there is no other.
    expect(railFor(envWithAll('production'), terms, method)?.id).toBe('simulator');
  });

  test('every attempt finds the rail that started it', () => {
    for (const environment of ENVIRONMENTS) {
      for (const method of METHODS) {
        const attempt = attemptWith({ method, railId: RAIL_IDS[method] });
        expect(railOf(ALL, payment({ environment }), attempt)).toBe(
          configuredRail(ALL, environment, method),
        );
      }
    }
  });

  test('the simulator exists only in the sandbox', () => {
    const attempt = attemptWith({ railId: 'simulator' });
    expect(railOf(ALL, payment({ environment: 'sandbox' }), attempt)?.id).toBe('simulator');
    expect(railOf(envOf({}), payment({ environment: 'sandbox' }), attempt)?.id).toBe('simulator');
    expect(railOf(ALL, PRODUCTION, attempt)).toBeNull();
  });

  test.each(METHODS)('%s: null when it is no longer configured, or replaced', (method) => {
    const attempt = attemptWith({ method, railId: RAIL_IDS[method] });
    expect(railOf(envOf({}), PRODUCTION, attempt)).toBeNull();
    expect(railOf(envWithAll('sandbox'), PRODUCTION, attempt)).toBeNull();
    for (const railId of ['', 'another', ...Object.values(RAIL_IDS)]) {
      const found = railOf(ALL, PRODUCTION, { ...attempt, railId });
      expect(found?.id).toBe(railId === RAIL_IDS[method] ? railId : undefined);
    }
  });

  /** Cards accept both currencies; the billing gateway only birr. */
  const NBG_ENV = envOf({ RAIL_ETS_SWITCH_PRODUCTION: NBG, RAIL_ETS_SWITCH_SANDBOX: NBG });

  test('a method works in the sandbox always, and in production with a rail, whose rules it has', () => {
    for (const method of METHODS) {
      expect(methodSupport(envOf({}), 'sandbox', method)).not.toBeNull();
      expect(methodSupport(envWithAll('sandbox'), 'production', method)).toBeNull();
      const own = configuredRail(ALL, 'production', method);
      expect(methodSupport(ALL, 'production', method)?.rules).toBe(own);
      expect(methodSupport(ALL, 'sandbox', method)?.rules).toBe(own);
      expect(own?.currencies).toEqual(method === 'ETS_SWITCH' ? ['ETB', 'USD'] : ['ETB']);
    }
    expect(methodSupport(NBG_ENV, 'production', 'ETS_SWITCH')?.rules.currencies).toEqual(['ETB']);
  });

  test.each(METHODS)(
    '%s: a request’s one answer names the rail that a start would use',
    (method) => {
      for (const env of [ALL, NBG_ENV, envOf({})]) {
        for (const currency of CURRENCIES) {
          for (const environment of ENVIRONMENTS) {
            for (const simulation of ['interactive', 'succeed'] as const) {
              const terms = payment({ environment, kind: 'express', simulation, currency });
              const answer = methodSupport(env, environment, method)?.chooseRail(terms) ?? null;
              expect(answer).toBe(railFor(env, terms, method));
            }
          }
        }
      }
    },
  );

  test.each(METHODS)('decisions.md#13: %s accepts dollars where its rail does', (method) => {
    const rows: readonly [Bindings, boolean][] = [
      [ALL, method === 'ETS_SWITCH'],
      [NBG_ENV, false],
    ];
    for (const [env, acceptsDollars] of rows) {
      const production = payment({ environment: 'production', currency: 'USD' });
      const own = configuredRail(env, 'production', method);
      expect(railFor(env, production, method)).toBe(acceptsDollars ? own : null);
      const test = { environment: 'sandbox', kind: 'express', simulation: 'interactive' } as const;
      expect(railFor(env, payment({ ...test, currency: 'USD' }), method)?.id).toBe(
        acceptsDollars ? RAIL_IDS[method] : 'simulator',
      );
      // An attempt under way keeps its own rail, for every currency.
      const attempt = attemptWith({ method, railId: own?.id ?? RAIL_IDS[method] });
      expect(railOf(env, production, attempt)).toBe(own);
    }
  });

  /** Numbers of Ethio telecom and of Safaricom. */
  const PHONES = ['251911234567', '251711234567'] as const;
  const ACCEPTS = factOfAll('acceptsNetworks');

  test.each(METHODS)('decisions.md#3: %s accepts the numbers of its networks', (method) => {
    const accepted = (env: Bindings, changes: Partial<IntentTerms>) =>
      PHONES.map((phone) => acceptsPhone(env, payment(changes), method, phone));
    const test = { environment: 'sandbox', kind: 'express', simulation: 'interactive' } as const;
    expect(accepted(ALL, { environment: 'production' })).toEqual(ACCEPTS[method]);
    expect(accepted(ALL, test)).toEqual(ACCEPTS[method]);
    // The simulator accepts every number, and so does a method without a rail.
    expect(accepted(ALL, { environment: 'sandbox', kind: 'hosted' })).toEqual([true, true]);
    expect(accepted(envOf({}), test)).toEqual([true, true]);
    expect(accepted(envWithAll('sandbox'), { environment: 'production' })).toEqual([true, true]);
  });

  test.each(
    METHODS.flatMap((method) =>
      TRAITS[method].phoneStart ? [[method, TRAITS[method].phoneStart]] : [],
    ),
  )('the page refuses the numbers that %s does not take, and no other: %s…', (method, start) => {
    const accepted = ['7', '9'].filter((digit) =>
      acceptsPhone(ALL, PRODUCTION, method as Method, `251${digit}11234567`),
    );
    expect(accepted).toEqual([start]);
  });

  test('decisions.md#13: M-PESA takes no cents unless its setting says otherwise', () => {
    const isWhole = (env: Bindings) => (method: Method) =>
      productionRules(env, method).wholeAmountsOnly === true;
    expect(METHODS.filter(isWhole(ALL))).toEqual(['M_PESA']);
    const settings = { ...COMPLETE.M_PESA, wholeAmountsOnly: false };
    expect(isWhole(envOf({ RAIL_M_PESA_PRODUCTION: settings }))('M_PESA')).toBe(false);
  });

  test('decisions.md#22: before production is set up, its rules are those of default settings', () => {
    const [none, all] = [envOf({}), ALL];
    for (const method of METHODS) {
      const [assumed, configured] = [productionRules(none, method), productionRules(all, method)];
      expect(assumed.currencies).toEqual(configured.currencies);
      expect(assumed.wholeAmountsOnly ?? false).toBe(configured.wholeAmountsOnly ?? false);
      const accepted = (rules: RailRules) => PHONES.filter((phone) => canCharge(rules, phone));
      expect(accepted(assumed)).toEqual(accepted(configured));
    }
  });

  test('decisions.md#3: the operator’s setting decides whose numbers eBirr accepts', () => {
    const settings = { ...COMPLETE.E_BIRR, phonePrefixes: ['2519', '2517'] };
    const env = envOf({ RAIL_E_BIRR_PRODUCTION: settings });
    for (const phone of PHONES) {
      expect(acceptsPhone(env, PRODUCTION, 'E_BIRR', phone)).toBe(true);
    }
    expect(acceptsPhone(env, PRODUCTION, 'E_BIRR', '254711234567')).toBe(false);
  });
});

describe('a wrong secret affects only its rail', () => {
  const WRONG: readonly [string, unknown][] = [
    ['text instead of JSON', '{'],
    ['an empty object', {}],
    ['a number instead of an object', '7'],
  ];
  const ROWS = METHODS.flatMap((method) =>
    ENVIRONMENTS.flatMap((environment) =>
      WRONG.map(([what, secret]) => ({ method, environment, what, secret })),
    ),
  );

  test.each(ROWS)('$method in $environment: $what', ({ method, environment, secret }) => {
    const name = railSecretName(environment, method);
    const wrong = envOf({ ...envWithAll('production', 'sandbox'), [name]: secret });
    const terms = (place: Environment) =>
      termsWith({ environment: place, kind: 'express', simulation: 'interactive' });
    // Checked before and after the first use of the wrong secret.
    for (let times = 0; times < 2; times += 1) {
      for (const place of ENVIRONMENTS) {
        for (const other of METHODS.filter((m) => m !== method || place !== environment)) {
          const attempt = attemptWith({ method: other, railId: RAIL_IDS[other] });
          expect(railFor(wrong, terms(place), other)?.id).toBe(RAIL_IDS[other]);
          expect(railOf(wrong, terms(place), attempt)?.id).toBe(RAIL_IDS[other]);
          expect(acceptsPhone(wrong, terms(place), other, '251911234567')).toBeTypeOf('boolean');
          expect(methodSupport(wrong, place, other)?.rules.currencies).toContain('ETB');
        }
      }
      const attempt = attemptWith({ method, railId: RAIL_IDS[method] });
      // Not enabled, as without a secret (docs/decisions.md#23); the sandbox simulates.
      const instead = environment === 'sandbox' ? 'simulator' : undefined;
      expect(railFor(wrong, terms(environment), method)?.id).toBe(instead);
      expect(railOf(wrong, terms(environment), attempt)).toBeNull();
      expect(acceptsPhone(wrong, terms(environment), method, '251911234567')).toBe(true);
      expect(methodSupport(wrong, 'production', method)?.rules.currencies).toEqual(
        environment === 'production'
          ? undefined
          : methodSupport(envWithAll('production'), 'production', method)?.rules.currencies,
      );
      const configuration = railConfiguration(wrong, environment, method);
      expect(configuration).toMatchObject({ state: 'misconfigured' });
      expect(JSON.stringify(configuration)).toContain(name);
    }
    // Payments that need no rail of theirs still work.
    const sandbox = termsWith({ environment: 'sandbox', kind: 'hosted', simulation: null });
    expect(railFor(wrong, sandbox, method)?.id).toBe('simulator');
    const simulated = attemptWith({ method, railId: 'simulator' });
    expect(railOf(wrong, sandbox, simulated)?.id).toBe('simulator');
    expect(methodSupport(wrong, 'sandbox', method)).not.toBeNull();
  });
});
