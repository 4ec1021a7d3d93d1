import * as v from 'valibot';
import { stringField } from './fields.ts';

/** Longest URL (docs/decisions.md#7): longer ones break in browsers and proxies. */
export const URL_CHARACTERS_MAX = 2_048;

/** `URL` would also read `https:host`, `https:\host` and `https:///host`, which others do not. */
const HTTP_START = /^https?:\/\/[^/\\]/i;

/** `URL` strips or escapes these in silence, so what is stored would not be what is called. */
const WHITESPACE_OR_CONTROL = /[\s\p{Cc}\p{Cs}]/u;

/** A userinfo part, even an empty one: `URL` forgets that it was there. */
const USERINFO = /^https?:\/\/[^/?#\\]*@/i;

/**
 * An absolute http or https URL without userinfo, at most URL_CHARACTERS_MAX long, kept as written
 * (docs/decisions.md#12). Every test is linear in the length.
 */
export const httpUrlField = v.pipe(
  stringField,
  v.maxLength(URL_CHARACTERS_MAX, `Must be at most ${URL_CHARACTERS_MAX} characters long.`),
  v.regex(HTTP_START, 'Must be a valid http or https URL.'),
  v.check(
    (url) => !WHITESPACE_OR_CONTROL.test(url),
    'Must not contain spaces or control characters.',
  ),
  v.check((url) => !USERINFO.test(url), 'Must not contain a user name or password.'),
  v.check((url) => URL.canParse(url), 'Must be a valid http or https URL.'),
);
