import * as v from 'valibot';
import { APP_FORMS, type AppForm } from '../../domain/app-form.ts';
import type { Route } from '../call-rail.ts';
import { choice, flag, httpUrl, settingsObject, text, wholeNumber } from '../setting-fields.ts';
import { bareKey, isPair, type KeyKind } from './key-text.ts';
import { SIGNATURE_SCHEMES } from './signature.ts';

/** Production, according to telebirr's H5 documentation and three SDKs. */
const API_BASE_URL = 'https://superapp.ethiomobilemoney.et:38443/apiaccess/payment/gateway';

/** Public clients time out after 30 s for both calls, the token and the order. */
const CALL_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS_MIN = 100;
const CALL_TIMEOUT_MS_MAX = 30_000;

const PAYEE_TYPES = ['5000', '3000'] as const;

/** telebirr's portal shows the values in a table, from which a space is easily copied too. */
function copied(form: RegExp, what: string) {
  return v.pipe(v.string(`must be ${what}`), v.trim(), text(form, what));
}

function key(kind: KeyKind, what: string) {
  const message = `must be ${what}, in base64 or PEM`;
  return v.pipe(
    v.string(message),
    v.transform((armored) => bareKey(armored, kind)),
    v.string(message),
  );
}

/** The operator's secret for this rail: telebirr's credentials and URLs. */
const fields = settingsObject({
  /** "Base URL" of the API, up to `/gateway`. Set for the test system or a relay. */
  apiBaseUrl: v.optional(httpUrl, API_BASE_URL),
  /**
   * "Web base URL", up to `/paygate`: the page where customers pay. No default, because public
   * clients disagree about production's URL; telebirr must name it.
   */
  webPageUrl: httpUrl,
  /** "Fabric App ID" or "X-APP-Key", a UUID. Often mixed up with the merchant's app id. */
  fabricAppId: copied(
    /^(?!\d+$)[A-Za-z0-9-]{1,64}$/,
    'the Fabric App ID, a UUID and not the numeric merchant app id',
  ),
  /** "App Secret", which we exchange for tokens. */
  appSecret: copied(/^[\x21-\x7e]{1,256}$/, 'the App Secret, printable ASCII without spaces'),
  /** "Merchant App ID": `appid` of every order. */
  merchantAppId: copied(/^\d{1,32}$/, 'the Merchant App ID, digits only and not the Fabric App ID'),
  /** "Merchant Code" or "short code": the number that receives the payment. */
  merchantCode: copied(/^[1-9]\d{1,15}$/, 'the merchant code, digits only'),
  /** The merchant's RSA-2048 key, whose public half telebirr has. */
  merchantPrivateKey: key('pkcs8', 'an RSA private key in PKCS#8'),
  /** telebirr's public key, which verifies notifications. */
  telebirrPublicKey: key('spki', 'an RSA public key (SPKI, also called X.509), not a certificate'),
  /** "Fill mode" of our signatures: PSS in the documentation, PKCS#1 in some of its samples. */
  signatureScheme: v.optional(choice(SIGNATURE_SCHEMES), 'pss32'),
  /** `payee_type`: the samples have 5000 for web pages and 3000 for apps. */
  payeeType: v.optional(choice(PAYEE_TYPES), '5000'),
  /** The same for orders in telebirr's app, where it differs. */
  appPayeeType: v.optional(choice(PAYEE_TYPES)),
  /**
   * Lets merchants' apps, and mini apps, start payments in telebirr's app. Off until Ethio telecom has
   * subscribed the account to the product: until then telebirr refuses each order with 60200098.
   */
  inApp: flag(false),
  miniApp: flag(false),
  /**
   * Lets an operator send a refund again with the same `refund_request_no`. Off until a live test
   * has shown that telebirr returns the money once.
   */
  refundRepeats: flag(false),
  /** Timeout of one call, in milliseconds. */
  callTimeoutMs: v.optional(
    wholeNumber('milliseconds', CALL_TIMEOUT_MS_MIN, CALL_TIMEOUT_MS_MAX),
    CALL_TIMEOUT_MS,
  ),
});

export const telebirrH5Settings = v.pipe(
  fields,
  v.forward(
    v.check(
      ({ merchantPrivateKey, telebirrPublicKey }) => !isPair(merchantPrivateKey, telebirrPublicKey),
      "must be telebirr's key, not the public half of merchantPrivateKey",
    ),
    ['telebirrPublicKey'],
  ),
);

export type TelebirrH5Settings = v.InferOutput<typeof telebirrH5Settings> & Route;

/** The setting that switches each form on. */
const APP_SETTINGS = { IN_APP: 'inApp', MINI_APP: 'miniApp' } as const;

export function appFormsIn(settings: TelebirrH5Settings): readonly AppForm[] {
  return APP_FORMS.filter((form) => settings[APP_SETTINGS[form]]);
}

/** The settings of the forms that are on. */
export function appSettingsIn(settings: TelebirrH5Settings): readonly string[] {
  return appFormsIn(settings).map((form) => APP_SETTINGS[form]);
}
