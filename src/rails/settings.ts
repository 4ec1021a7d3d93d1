import * as v from 'valibot';
import { type Bindings, isLoopback } from '../config.ts';
import { CURRENCIES, type Environment, type Method } from '../domain/method.ts';
import { log } from '../log.ts';
import { CBE_BIRR_RAIL_ID, cbeBirrRail } from './cbe-birr/rail.ts';
import { cbeBirrSettingsSchema } from './cbe-birr/settings.ts';
import { EBIRR_RULES, ebirrRail } from './ebirr/rail.ts';
import { ebirrSettingsSchema } from './ebirr/settings.ts';
import { ethswitchRail } from './ethswitch/rail.ts';
import { CARDS_RAIL_ID, ethswitchSettings } from './ethswitch/settings.ts';
import { MPESA_RULES, mpesaRail } from './mpesa/rail.ts';
import { mpesaSettingsSchema } from './mpesa/settings.ts';
import type { Rail, RailRules } from './rail.ts';
import { telebirrH5Rail } from './telebirr-h5/rail.ts';
import { telebirrH5Settings } from './telebirr-h5/settings.ts';
import { TELEBIRR_USSD_RULES, telebirrUssdRail } from './telebirr-ussd/rail.ts';
import { telebirrUssdSettings } from './telebirr-ussd/settings.ts';

/** Each method's adapter, the schema of its secret, and the field with the provider's address. */
const ADAPTERS: Readonly<Record<Method, Adapter>> = {
  TELE_BIRR: adapter(telebirrH5Rail, telebirrH5Settings, 'apiBaseUrl'),
  TELE_BIRR_USSD: adapter(telebirrUssdRail, telebirrUssdSettings, 'relayUrl'),
  CBE: adapter(cbeBirrRail, cbeBirrSettingsSchema, 'baseUrl'),
  ETS_SWITCH: adapter(ethswitchRail, ethswitchSettings, 'baseUrl'),
  M_PESA: adapter(mpesaRail, mpesaSettingsSchema, 'baseUrl'),
  E_BIRR: adapter(ebirrRail, ebirrSettingsSchema, 'baseUrl'),
};

/** What each method takes with default settings; for ETS_SWITCH, what either gateway takes. */
const DEFAULT_RULES: Readonly<Record<Method, RailRules>> = {
  TELE_BIRR: { currencies: ['ETB'] },
  TELE_BIRR_USSD: TELEBIRR_USSD_RULES,
  CBE: { currencies: ['ETB'] },
  ETS_SWITCH: { currencies: CURRENCIES },
  M_PESA: MPESA_RULES,
  E_BIRR: EBIRR_RULES,
};

/** The methods whose adapter has a `SharedCallbackAddress`, by the rail id in that URL. */
export const SHARED_CALLBACK_METHODS: ReadonlyMap<string, Method> = new Map([
  [CBE_BIRR_RAIL_ID, 'CBE'],
  [CARDS_RAIL_ID, 'ETS_SWITCH'],
]);

/** What the secret `RAIL_<METHOD>_<ENVIRONMENT>` says about its method. */
export type RailConfiguration =
  | { readonly state: 'configured'; readonly rail: Rail }
  | { readonly state: 'not_configured' }
  /** `problem` names the secret, the wrong fields and what is wrong with them, never a value. */
  | { readonly state: 'misconfigured'; readonly problem: string };

/** By the name of the secret; each secret is parsed once, on first use. */
let known = new WeakMap<Bindings, Map<string, RailConfiguration>>();

/** A wrong secret disables only its own method, and is logged once per isolate. */
export function railConfiguration(
  env: Bindings,
  environment: Environment,
  method: Method,
): RailConfiguration {
  const configurations = known.get(env) ?? new Map<string, RailConfiguration>();
  known.set(env, configurations);
  const secret = railSecretName(environment, method);
  let configuration = configurations.get(secret);
  if (configuration === undefined) {
    configuration = readSecret(env, environment, method);
    configurations.set(secret, configuration);
    if (configuration.state === 'misconfigured') {
      log('error', 'rail_misconfigured', { secret, problem: configuration.problem });
    }
  }
  return configuration;
}

/** For tests that change secrets within an isolate, in which each object has bindings of its own. */
export function forgetRails(): void {
  known = new WeakMap();
}

/** The method's rail; null when its secret is missing or wrong, so that it is not enabled. */
export function configuredRail(
  env: Bindings,
  environment: Environment,
  method: Method,
): Rail | null {
  const configuration = railConfiguration(env, environment, method);
  return configuration.state === 'configured' ? configuration.rail : null;
}

/**
 * What a method takes in production. The sandbox asks too, perhaps before production is set up, and
 * then assumes default settings.
 */
export function productionRules(env: Bindings, method: Method): RailRules {
  return configuredRail(env, 'production', method) ?? DEFAULT_RULES[method];
}

/** The name of the secret that holds a rail's credentials. */
export function railSecretName(environment: Environment, method: Method): string {
  return `RAIL_${method}_${environment.toUpperCase()}`;
}

interface Adapter {
  readonly addressField: string;
  /** The rail, or what is wrong with the settings. */
  make(settings: unknown): Rail | { readonly problem: string };
}

function adapter<Settings>(
  rail: (settings: Settings) => Rail,
  schema: v.GenericSchema<unknown, Settings>,
  addressField: string,
): Adapter {
  return {
    addressField,
    make(settings) {
      const parsed = v.safeParse(schema, settings);
      return parsed.success
        ? rail(parsed.output)
        : { problem: parsed.issues.map(problemText).join('; ') };
    },
  };
}

function readSecret(env: Bindings, environment: Environment, method: Method): RailConfiguration {
  const name = railSecretName(environment, method);
  // These secrets are optional, so the generated type of the bindings lacks them.
  const secret: unknown = Reflect.get(env, name);
  if (typeof secret !== 'string' || secret === '') {
    return { state: 'not_configured' };
  }
  const settings = parsedJson(secret);
  if (settings === undefined) {
    return { state: 'misconfigured', problem: `${name} must be JSON` };
  }
  const { addressField, make } = ADAPTERS[method];
  if (environment === 'sandbox' && !hasField(settings, addressField)) {
    // The default is the production system, which the sandbox must not use (docs/decisions.md#22).
    const problem = `${name}: ${addressField}: must name the rail's test system`;
    return { state: 'misconfigured', problem };
  }
  if (environment === 'production' && hasEmptyList(settings, 'callbackAddresses')) {
    // NBG signs nothing: anyone who learns a callback's address could report a payment as paid.
    const problem = `${name}: callbackAddresses: must name the provider's addresses in production`;
    return { state: 'misconfigured', problem };
  }
  const plain = environment === 'production' ? plainHttpField(settings) : undefined;
  if (plain !== undefined) {
    // Everybody on the way could read the credentials and forge the answer "paid".
    return { state: 'misconfigured', problem: `${name}: ${plain}: must begin with https://` };
  }
  const made = make(settings);
  return 'problem' in made
    ? { state: 'misconfigured', problem: `${name}: ${made.problem}` }
    : { state: 'configured', rail: made };
}

function hasField(settings: unknown, field: string): boolean {
  return typeof settings === 'object' && settings !== null && Object.hasOwn(settings, field);
}

function hasEmptyList(settings: unknown, field: string): boolean {
  const list: unknown = hasField(settings, field) && Reflect.get(Object(settings), field);
  return Array.isArray(list) && list.length === 0;
}

/**
 * The first setting with an http URL that we call or send customers to. Not on this machine, and not
 * `resultBaseUrl`, which only telebirr calls, in its private network.
 */
function plainHttpField(settings: unknown): string | undefined {
  return Object.entries(Object(settings)).find(([field, value]) => {
    const url = /Url$/.test(field) && field !== 'resultBaseUrl' ? URL.parse(String(value)) : null;
    return typeof value === 'object'
      ? plainHttpField(value) !== undefined
      : url?.protocol === 'http:' && !isLoopback(url.hostname);
  })?.[0];
}

/** Undefined if `text` is not JSON. Drops the parser's message, which quotes the secret. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The field and its problem. Omits names of nested fields, which may be secret themselves. */
function problemText(issue: v.BaseIssue<unknown>): string {
  const field = issue.path?.[0]?.key;
  return field === undefined ? issue.message : `${String(field)}: ${issue.message}`;
}
