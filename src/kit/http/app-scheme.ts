/**
 * Schemes of merchants' apps, to which customers may return (docs/decisions.md#20). The operator
 * registers them: a link of ours then starts an app on the customer's device.
 */

/**
 * A scheme by RFC 3986, in lower case, has at least two letters: one letter is a drive on Windows.
 */
const APP_SCHEME = /^[a-z][a-z0-9+.-]{1,62}$/;

/** Schemes that a browser or a system reads itself. Some of them run or open what follows. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['about', 'blob', 'chrome', 'data', 'file', 'filesystem', 'ftp', 'http', 'https'],
  ...['javascript', 'livescript', 'mhtml', 'resource', 'vbscript', 'view-source', 'ws', 'wss'],
  ...['android-app', 'content', 'intent', 'market', 'package', 'itms', 'itms-apps'],
  ...['itms-services', 'prefs', 'app-prefs', 'shortcuts', 'workflow'],
  ...['callto', 'facetime', 'geo', 'im', 'mailto', 'maps', 'sip', 'sips', 'sms', 'smsto', 'tel'],
  ...['ldap', 'mms', 'mmsto', 'search-ms', 'shell', 'smb', 'ssh', 'telnet'],
]);

/** Windows reads these itself: `ms-settings`, `ms-msdt`. */
const RESERVED_START = /^(?:ms-|chrome-|moz-|safari-|web\+)/;

/** Whether a merchant's app can have this scheme. */
export function isAppScheme(scheme: string): boolean {
  return APP_SCHEME.test(scheme) && !RESERVED.has(scheme) && !RESERVED_START.test(scheme);
}

/** An address of an app, such as `myshop://paid`, or null. Whether it is registered is not checked. */
export function appUrl(text: string | null): URL | null {
  const url = text === null ? null : URL.parse(text);
  return url?.href.startsWith(`${url.protocol}//`) && isAppScheme(url.protocol.slice(0, -1))
    ? url
    : null;
}
