import * as v from 'valibot';
import { isPlainHttpUrl } from '../http-url.ts';
import { windowSeconds } from '../window-setting.ts';

/** The production host in Safaricom Ethiopia's own SDKs; the test host is apisandbox.safaricom.et. */
const PRODUCTION_BASE_URL = 'https://api.safaricom.et';

/**
 * No document names the life of a prompt; integrators see it end within a minute or two and advise to
 * wait two or three.
 */
const PROMPT_WINDOW_SECONDS = 180;

/**
 * The operator's secret of this rail. No message contains a value: they are logged when the
 * settings do not hold.
 */
export const mpesaSettingsSchema = v.strictObject(
  {
    /** Where the API answers, or a relay with a fixed address before it; paths are appended. */
    baseUrl: v.optional(
      v.pipe(
        v.string('must be a text'),
        v.check(isPlainHttpUrl, 'must be an http or https address without query and user'),
        v.transform((url) => url.replace(/\/$/, '')),
      ),
      PRODUCTION_BASE_URL,
    ),
    /** "Consumer Key" of the app in the developer portal: the user half of Basic authentication. */
    consumerKey: credential(/^[!-9;-~]{1,256}$/, 'without a colon'),
    /** "Consumer Secret" of the same app. */
    consumerSecret: credential(/^[!-~]{1,256}$/, 'without spaces'),
    /** "Business Short Code": the pay bill number or till that is paid. */
    shortcode: credential(/^\d{3,10}$/, 'of 3 to 10 digits'),
    /**
     * "PartyB", who is credited. The SDKs send the short code; a till whose money goes to another
     * number than the one that signs the request needs it.
     */
    partyB: v.optional(credential(/^\d{3,10}$/, 'of 3 to 10 digits')),
    /** "Passkey" of the short code, from the portal or the go-live letter. */
    passkey: credential(/^[!-~]{1,512}$/, 'without spaces'),
    /** "TransactionType": pay bill for a pay bill number, buy goods for a till. */
    transactionType: v.optional(
      v.picklist(
        ['CustomerPayBillOnline', 'CustomerBuyGoodsOnline'],
        'must be CustomerPayBillOnline or CustomerBuyGoodsOnline',
      ),
      'CustomerPayBillOnline',
    ),
    /**
     * How "Password" is made. The printed sample of the documentation is the base64 of a hexadecimal
     * SHA-256; the official Python SDK makes Kenya's base64 of the plain text.
     */
    passwordForm: v.optional(
      v.picklist(['sha256_hex', 'kenya'], 'must be sha256_hex or kenya'),
      'sha256_hex',
    ),
    /**
     * How long a prompt is waited for, before a customer may try again. It is not final: a callback
     * that comes later still counts.
     */
    promptWindowSeconds: windowSeconds(PROMPT_WINDOW_SECONDS),
  },
  problemOfKey,
);

export type MpesaSettings = v.InferOutput<typeof mpesaSettingsSchema>;

function credential(form: RegExp, formText: string) {
  return v.pipe(v.string(`must be a text`), v.regex(form, `must be a text ${formText}`));
}

/** Of a key that is missing or too many; valibot's own message quotes what it received. */
function problemOfKey(issue: v.StrictObjectIssue): string {
  const key = issue.path?.at(-1)?.key;
  if (typeof key !== 'string') {
    return 'must be a JSON object';
  }
  return issue.expected === 'never' ? 'is no setting of this rail' : 'is missing';
}
