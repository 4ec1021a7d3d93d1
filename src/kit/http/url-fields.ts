import * as v from 'valibot';
import { appUrl } from './app-scheme.ts';
import { type FieldError, fieldError } from './field-error.ts';
import { shortText } from './fields.ts';

/** The longest URL (docs/decisions.md#7): longer ones break in browsers and proxies. */
export const URL_CHARACTERS_MAX = 2_048;

/** Stricter than `URL`, which also accepts `https:host`, `https:\host` and `https:///host`. */
const HTTP_START = /^https?:\/\/[^/\\]/i;

/** `URL` silently strips or escapes these, so the called URL would differ from the stored one. */
const WHITESPACE_OR_CONTROL = /[\s\p{Cc}\p{Cs}]/u;

/** A userinfo part, even an empty one, which `URL` drops. */
const USERINFO = /^https?:\/\/[^/?#\\]*@/i;

const NOT_A_URL = fieldError('invalid_format', 'Must be a valid http or https URL.');

/**
 * An absolute http or https URL without userinfo, at most URL_CHARACTERS_MAX long, kept as written
 * (docs/decisions.md#12). Every check takes linear time.
 */
export const httpUrlField = v.pipe(
  urlField((url) => HTTP_START.test(url), NOT_A_URL),
  // The schema has no `format: 'uri'`, which refuses letters outside ASCII and brackets in a query.
  v.metadata({ pattern: '^[hH][tT][tT][pP][sS]?://[^/\\\\]' }),
);

/**
 * A returnUrl: as httpUrlField, or an address of the merchant's app, such as `myshop://paid`, by one
 * of these schemes (docs/decisions.md#20).
 */
export function returnUrlField(appSchemes: readonly string[]) {
  const starts = appSchemes.map((scheme) => `${scheme}://`).join(' or ');
  const others = starts === '' ? '' : `, or begin with ${starts}`;
  const notOne = ({ input }: { readonly input: string }) => {
    const hint = appUrl(input) === null ? '' : ' The operator can register the scheme of your app.';
    return fieldError('invalid_format', `Must be a valid http or https URL${others}.${hint}`);
  };
  return v.pipe(
    urlField((url) => HTTP_START.test(url) || isOfApp(url, appSchemes), notOne),
    v.metadata({ pattern: '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\\\\]' }),
  );
}

function isOfApp(url: string, appSchemes: readonly string[]): boolean {
  const [scheme = '', rest = ''] = url.split('://', 2);
  return appSchemes.includes(scheme) && /^[^/\\]/.test(rest);
}

function urlField(
  hasStart: (url: string) => boolean,
  notAUrl: FieldError | ((issue: { readonly input: string }) => FieldError),
) {
  return v.pipe(
    shortText(URL_CHARACTERS_MAX),
    v.check(hasStart, notAUrl),
    v.check(
      (url) => !WHITESPACE_OR_CONTROL.test(url),
      fieldError('invalid_format', 'Must not contain spaces or control characters.'),
    ),
    v.check(
      (url) => !USERINFO.test(url),
      fieldError('invalid_format', 'Must not contain a user name or password.'),
    ),
    v.check((url) => URL.canParse(url), notAUrl),
  );
}

/**
 * Accepts the same texts as the published pattern, in linear time (docs/decisions.md#12). The
 * published host part, `(?:[a-zA-Z0-9-]{1,63}\.?)*`, can split a run of letters in exponentially
 * many ways. Both reject a leading dot or hyphen, and two dots in a row. The group captures
 * the host without its port.
 */
const CALLBACK_URL =
  /^https?:\/\/((?:[a-zA-Z0-9][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9-]+)*\.?)?)(?::[0-9]{1,5})?(?:\/\S*)?$/;

/** Whether the published pattern of callbackUrl accepts the text. */
export function matchesCallbackPattern(text: string): boolean {
  return CALLBACK_URL.test(text);
}

/**
 * Whether `URL` reads the same host as the pattern. It does not for an empty host and for numbers
 * that encode an address (`http://2130706433/` is 127.0.0.1).
 */
function keepsItsHost(text: string): boolean {
  const hostSeen = CALLBACK_URL.exec(text)?.[1];
  return URL.parse(text)?.hostname === hostSeen?.toLowerCase();
}

/**
 * A callbackUrl (docs/decisions.md#12). The URL guard decides before each webhook whether the
 * gateway may call it (docs/decisions.md#18).
 */
export const callbackUrlField = v.pipe(
  httpUrlField,
  v.check(
    matchesCallbackPattern,
    fieldError(
      'invalid_format',
      'Must be http:// or https:// in lower case, a host name of letters, digits, hyphens and dots, ' +
        'and optionally a port and a path that starts with a slash.',
    ),
  ),
  v.check(
    keepsItsHost,
    fieldError('invalid_format', 'Must name its host plainly, not as an encoded address.'),
  ),
  v.metadata({ pattern: CALLBACK_URL.source }),
);
