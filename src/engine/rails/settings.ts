import * as v from 'valibot';
import { isLoopback } from '../../kit/loopback.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { log } from '../../kit/platform/log.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { Bindings } from '../config.ts';
import { METHODS, type Method } from '../domain/method.ts';
import { type PrivateNetwork, privateNetwork, type Route } from './call-rail.ts';
import { CBE_BIRR_RAIL_ID, cbeBirrRail } from './cbe-birr/rail.ts';
import { cbeBirrSettingsSchema } from './cbe-birr/settings.ts';
import { EBIRR_RULES, ebirrRail } from './ebirr/rail.ts';
import { EBIRR_RAIL_ID, ebirrSettingsSchema } from './ebirr/settings.ts';
import { ethswitchRail } from './ethswitch/rail.ts';
import { CARDS_RAIL_ID, ethswitchSettings } from './ethswitch/settings.ts';
import { membersOf } from './members.ts';
import { MPESA_RULES, mpesaRail } from './mpesa/rail.ts';
import { mpesaSettingsSchema } from './mpesa/settings.ts';
import { isNetworkName, NETWORK_NAME_MESSAGE } from './network-name.ts';
import type { Rail, RailRules } from './rail.ts';
import { telebirrH5Rail } from './telebirr-h5/rail.ts';
import { telebirrH5Settings } from './telebirr-h5/settings.ts';
import { TELEBIRR_USSD_RULES, telebirrUssdRail } from './telebirr-ussd/rail.ts';
import { telebirrUssdSettings } from './telebirr-ussd/settings.ts';

/** All that the gateway knows of a method's provider. */
const ADAPTERS: Readonly<Record<Method, Adapter>> = {
  TELE_BIRR: adapter(telebirrH5Rail, telebirrH5Settings, {
    addressField: 'apiBaseUrl',
    rules: { currencies: ['ETB'] },
  }),
  TELE_BIRR_USSD: adapter(telebirrUssdRail, telebirrUssdSettings, {
    addressField: 'relayUrl',
    rules: TELEBIRR_USSD_RULES,
  }),
  CBE: adapter(cbeBirrRail, cbeBirrSettingsSchema, {
    addressField: 'baseUrl',
    rules: { currencies: ['ETB'] },
    callbacks: { railId: CBE_BIRR_RAIL_ID, verbs: ['POST'], sharedPath: '' },
  }),
  ETS_SWITCH: adapter(ethswitchRail, ethswitchSettings, {
    addressField: 'baseUrl',
    // What either gateway takes.
    rules: { currencies: CURRENCIES },
    // The card gateway can be configured to report by GET, and all orders to one address, whose end
    // is the setting `callbackToken`.
    callbacks: { railId: CARDS_RAIL_ID, verbs: ['GET', 'POST'], sharedPath: '/account/:token' },
  }),
  M_PESA: adapter(mpesaRail, mpesaSettingsSchema, {
    addressField: 'baseUrl',
    rules: MPESA_RULES,
  }),
  E_BIRR: adapter(ebirrRail, ebirrSettingsSchema, {
    addressField: 'baseUrl',
    rules: EBIRR_RULES,
    // eBirr calls the callback URL "returnUrl" and may send a browser there.
    callbacks: { railId: EBIRR_RAIL_ID, verbs: ['GET', 'POST'] },
  }),
};

interface Adapter {
  /** The field with the provider's address. */
  readonly addressField: string;
  /** What the method takes with default settings. */
  readonly rules: RailRules;
  readonly callbacks?: CallbackRoutes;
  /** The rail, or what is wrong with the settings. */
  make(settings: unknown, route: Route): Rail | string;
}

/** How a provider's callbacks arrive, unless by POST at each attempt's own URL alone. */
export interface CallbackRoutes {
  readonly railId: string;
  readonly verbs: readonly ('GET' | 'POST')[];
  /** Below `/rails/<rail id>`: the address of a rail with an `openCallback`. */
  readonly sharedPath?: string;
}

export const CALLBACK_ROUTES: readonly CallbackRoutes[] = METHODS.flatMap(
  (method) => ADAPTERS[method].callbacks ?? [],
);

/** The method whose provider reports all attempts to one address below `/rails/<rail id>`. */
export function methodOfSharedAddress(railId: string): Method | undefined {
  return METHODS.find((method) => {
    const { callbacks } = ADAPTERS[method];
    return callbacks?.sharedPath !== undefined && callbacks.railId === railId;
  });
}

/** What the secret `RAIL_<METHOD>_<ENVIRONMENT>` says about its method. */
export type RailConfiguration =
  | {
      readonly state: 'configured';
      readonly rail: Rail;
      /** The binding that the rail's calls go through; null: the internet. */
      readonly through: string | null;
    }
  | { readonly state: 'not_configured' }
  /** `problem` names the secret, the wrong fields and what is wrong with them, never a value. */
  | { readonly state: 'misconfigured'; readonly problem: string };

/** The configurations by the secret's name. Kefel parses each secret once, on first use. */
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
    configuration = readRailSecret(env, environment, method);
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
  return configuredRail(env, 'production', method) ?? ADAPTERS[method].rules;
}

/** The name of the secret that holds a rail's credentials. */
export function railSecretName(environment: Environment, method: Method): string {
  return `RAIL_${method}_${environment.toUpperCase()}`;
}

function adapter<Settings>(
  rail: (settings: Settings & Route) => Rail,
  schema: v.GenericSchema<unknown, Settings>,
  registration: Omit<Adapter, 'make'>,
): Adapter {
  return {
    ...registration,
    make(settings, route) {
      const parsed = v.safeParse(schema, settings);
      return parsed.success
        ? rail({ ...parsed.output, ...route })
        : parsed.issues.map(problemText).join('; ');
    },
  };
}

/** The same without the log. */
export function readRailSecret(
  env: Bindings,
  environment: Environment,
  method: Method,
): RailConfiguration {
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
  const { own, network } = parted(env, settings);
  const made =
    typeof network === 'string'
      ? network
      : (problemIn(environment, own, addressField, network !== undefined) ??
        make(own, { through: network }));
  return typeof made === 'string'
    ? { state: 'misconfigured', problem: `${name}: ${made}` }
    : { state: 'configured', rail: made, through: Object(network).name ?? null };
}

/**
 * The rail's own settings, and the network that the setting `through` names, or what is wrong with it.
 * A binding's name begins with VPC_, so that a typing mistake never hands a provider's credentials to
 * another binding of the Worker.
 */
function parted(
  env: Bindings,
  settings: unknown,
): { readonly own: unknown; readonly network?: PrivateNetwork | string } {
  const { through, ...own } = membersOf(settings) ?? {};
  if (through === undefined) {
    return { own: settings };
  }
  if (!isNetworkName(through)) {
    return { own, network: `through: ${NETWORK_NAME_MESSAGE}` };
  }
  const network =
    privateNetwork(through, Reflect.get(env, through)) ??
    `through: the Worker has no binding ${through}, which vpcServices in the deployment file names`;
  return { own, network };
}

/** What would be dangerous in this environment; null if nothing. */
function problemIn(
  environment: Environment,
  settings: unknown,
  addressField: string,
  isPrivate: boolean,
): string | null {
  const fields = membersOf(settings) ?? {};
  if (environment === 'sandbox') {
    // The default is the production system, which the sandbox must not use (docs/decisions.md#22).
    const isNamed = Object.hasOwn(fields, addressField);
    return isNamed ? null : `${addressField}: must name the rail's test system`;
  }
  const { callbackAddresses } = fields;
  if (Array.isArray(callbackAddresses) && callbackAddresses.length === 0) {
    // NBG signs nothing: anyone who learns a callback's address could report a payment as paid.
    return "callbackAddresses: must name the provider's addresses in production";
  }
  const plain = plainHttpField(settings, isPrivate);
  // Everybody on the way could read the credentials and forge the answer "paid".
  return plain === undefined ? null : `${plain}: must begin with https://`;
}

/**
 * The first setting with an http URL that we call or send customers to. Not on this machine, and not
 * `resultBaseUrl`, which only telebirr calls, in its private network. `isPrivate`: a binding leads into
 * that network, where telebirr's own `relayUrl` has no TLS.
 */
function plainHttpField(settings: unknown, isPrivate: boolean): string | undefined {
  return Object.entries(Object(settings)).find(([field, value]) => {
    const isOpen = field === 'resultBaseUrl' || (isPrivate && field === 'relayUrl');
    const url = /Url$/.test(field) && !isOpen ? URL.parse(String(value)) : null;
    return typeof value === 'object'
      ? plainHttpField(value, isPrivate) !== undefined
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
