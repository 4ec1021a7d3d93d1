import * as v from 'valibot';

/** The production host in Safaricom Ethiopia's own SDKs; the test host is apisandbox.safaricom.et. */
const PRODUCTION_BASE_URL = 'https://api.safaricom.et';

/**
 * The operator's secret of this rail. No message contains a value: they are logged when the
 * settings do not hold.
 */
export const mpesaSettingsSchema = v.strictObject(
  {
    /** Where the API answers, or a relay with a fixed address before it; paths are appended. */
    baseUrl: v.optional(
      v.pipe(
        v.string('baseUrl: must be a text'),
        v.check(isBaseUrl, 'baseUrl: must be an http or https address without query and user'),
        v.transform((url) => url.replace(/\/$/, '')),
      ),
      PRODUCTION_BASE_URL,
    ),
    /** "Consumer Key" of the app in the developer portal: the user half of Basic authentication. */
    consumerKey: credential('consumerKey', /^[!-9;-~]{1,256}$/, 'without a colon'),
    /** "Consumer Secret" of the same app. */
    consumerSecret: credential('consumerSecret', /^[!-~]{1,256}$/, 'without spaces'),
    /** "Business Short Code": the pay bill number or till that is paid. */
    shortcode: credential('shortcode', /^\d{3,10}$/, 'of 3 to 10 digits'),
    /**
     * "PartyB", who is credited. The SDKs send the short code; a till whose money goes to another
     * number than the one that signs the request needs it.
     */
    partyB: v.optional(credential('partyB', /^\d{3,10}$/, 'of 3 to 10 digits')),
    /** "Passkey" of the short code, from the portal or the go-live letter. */
    passkey: credential('passkey', /^[!-~]{1,512}$/, 'without spaces'),
    /** "TransactionType": pay bill for a pay bill number, buy goods for a till. */
    transactionType: v.optional(
      v.picklist(
        ['CustomerPayBillOnline', 'CustomerBuyGoodsOnline'],
        'transactionType: must be CustomerPayBillOnline or CustomerBuyGoodsOnline',
      ),
      'CustomerPayBillOnline',
    ),
    /**
     * How "Password" is made. The printed sample of the documentation is the base64 of a hexadecimal
     * SHA-256; the official Python SDK makes Kenya's base64 of the plain text.
     */
    passwordForm: v.optional(
      v.picklist(['sha256_hex', 'kenya'], 'passwordForm: must be sha256_hex or kenya'),
      'sha256_hex',
    ),
  },
  problemOfKey,
);

export type MpesaSettings = v.InferOutput<typeof mpesaSettingsSchema>;

function credential(name: string, form: RegExp, formText: string) {
  return v.pipe(
    v.string(`${name}: must be a text`),
    v.regex(form, `${name}: must be a text ${formText}`),
  );
}

/** Names a key that is missing or too many; valibot's own message quotes what it received. */
function problemOfKey(issue: v.StrictObjectIssue): string {
  const key = issue.path?.at(-1)?.key;
  if (typeof key !== 'string') {
    return 'must be a JSON object';
  }
  return issue.expected === 'never' ? `${key}: is no setting of this rail` : `${key}: is missing`;
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) {
    return false;
  }
  const { protocol, username, password, search, hash } = new URL(text);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return isPlain && (protocol === 'https:' || protocol === 'http:');
}
