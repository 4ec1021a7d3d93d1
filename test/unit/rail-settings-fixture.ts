import type { Bindings } from '../../src/config.ts';
import { type Environment, METHODS, type Method } from '../../src/domain/method.ts';
import { railSecretName } from '../../src/rails/settings.ts';
import telebirr from '../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };

/** An `env` made of secrets, for all six methods. */

export type Settings = Readonly<Record<string, unknown>>;

/** No text of a secret may appear in a message. */
export const SECRET_TEXT = 'Sup3rS3cret';

/** The required fields of each rail, with its test system's address. */
export const COMPLETE: Readonly<Record<Method, Settings>> = {
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

export const NBG: Settings = {
  gateway: 'nbg',
  baseUrl: 'https://nbg.rail.test',
  username: 'KefelNbg',
  password: `${SECRET_TEXT}Password`,
  billerBin: 'NEEUETAA',
  callbackAddresses: ['192.0.2.7'],
};

export const RAIL_IDS: Readonly<Record<Method, string>> = {
  TELE_BIRR: 'telebirr-h5',
  TELE_BIRR_USSD: 'telebirr-ussd',
  CBE: 'cbe-birr',
  ETS_SWITCH: 'ethswitch-cards',
  M_PESA: 'stk-push',
  E_BIRR: 'ebirr',
};

/** The bindings of a Worker with these secrets, as text or as values for JSON. */
export function envOf(secrets: Readonly<Record<string, unknown>>): Bindings {
  const texts = Object.entries(secrets).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts) as Bindings;
}

export function envWithAll(...environments: readonly Environment[]): Bindings {
  return envOf(
    Object.fromEntries(
      environments.flatMap((environment) =>
        METHODS.map((method) => [railSecretName(environment, method), COMPLETE[method]]),
      ),
    ),
  );
}
