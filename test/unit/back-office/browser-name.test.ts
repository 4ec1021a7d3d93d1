import { expect, test } from 'vitest';
import { browserName } from '../../../back-office/members/browser-name.ts';

/**
 * Goal: members recognize their browsers in the list of sessions. Method: real user agent strings,
 * which mostly contain the names of other browsers.
 */

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`,
    'Chrome, Android',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`,
    'Edge, Windows',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10) ${WEBKIT} Chrome/140.0 Mobile Safari/537.36 OPR/90.0`,
    'Opera, Android',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile`,
    'Samsung Internet, Android',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile Safari/604.1',
    'Safari, iPhone',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) CriOS/140.0 Mobile Safari/604.1',
    'Chrome, iPhone',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.5 Safari/605.1.15', 'Safari, Mac'],
  ['curl/8.0', ''],
  ['', ''],
])('%s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
