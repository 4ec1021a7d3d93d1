import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GuardOptions, guardCallbackUrl } from '../../../src/engine/webhooks/url-guard.ts';
import { URL_CHARACTERS_MAX } from '../../../src/kit/http/url-fields.ts';
import { HOSTILE_URLS, OWN_HOST } from '../../support/hostile-urls.ts';

const deployed: GuardOptions = {
  httpsOnly: false,
  allowLoopback: false,
  ownHosts: [OWN_HOST, 'kefel.account.workers.dev', 'gateway.kefel.et:8443'],
};
const local: GuardOptions = {
  httpsOnly: false,
  allowLoopback: true,
  ownHosts: ['localhost:8787', '127.0.0.1:8787', '[::1]:8787'],
};

const atIpAddress = 'host is an IP address';
const special = 'host is reserved for special use';
const singleLabel = 'host is a single label';
const userInfo = 'URL carries a user name or password';
const ourselves = 'host is Kefel itself';

describe('the URL guard of webhooks (decisions.md#18)', () => {
  test.each([
    'https://example.com',
    'http://example.com/hook',
    'https://shop.example.com/hook?order=1&x=%20#part',
    'https://shop.example.com:8443/hook',
    'http://shop.example.com:80/',
    'https://example.com./hook',
    'HTTPS://SHOP.EXAMPLE.COM/',
    'https://xn--bcher-kva.example.com/',
    'https://bücher.de/',
    'https://ሱቅ.et/',
    'https://under_score.example.com/',
    'https://1.2.3.4.example.com/',
    'https://127.0.0.1.nip.io/',
    'https://localhost.example.com/',
    'https://mylocalhost.et/',
    'https://internal.example.com/',
    'https://notpay.kefel.et/',
    'https://shop.pay.kefel.et/',
    'https://pay.kefel.et.example.com/',
    'https://shop.account.workers.dev/',
    'https://kefel.shop.workers.dev/',
    'https://notkefel.account.workers.dev/',
    'https://v2-gateway.kefel.et/',
    'https://deadbeef.com/',
    'https://0x7f.com/',
    `https://${'a'.repeat(63)}.example.com/`,
    `https://${'a.'.repeat(125)}com/`,
  ])('allows %s', (url) => {
    expect(guardCallbackUrl(url, deployed)).toBeNull();
  });

  test.each([
    ...HOSTILE_URLS,
    ['https://kefel.account.workers.dev/', ourselves] as const,
    ['https://1a2b3c4d-kefel.account.workers.dev./', ourselves] as const,
    ['https://gateway.kefel.et:8443/', ourselves] as const,
    ['https://gateway.kefel.et/', ourselves] as const,
  ])('rejects %j: %s', (url, reason) => {
    expect(guardCallbackUrl(url, deployed)).toBe(reason);
  });

  test('CALLBACK_HTTPS_ONLY forbids http', () => {
    const options = { ...deployed, httpsOnly: true };
    expect(guardCallbackUrl('http://example.com/', options)).toBe('URL is not https');
    expect(guardCallbackUrl('https://example.com/', options)).toBeNull();
    expect(guardCallbackUrl('http://10.0.0.1/', options)).toBe('host is an IP address');
    for (const url of ['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]:1/']) {
      expect(guardCallbackUrl(url, { ...local, httpsOnly: true })).toBeNull();
    }
    const strict = { ...local, httpsOnly: true };
    expect(guardCallbackUrl('http://example.com/', strict)).toBe('URL is not https');
  });

  test('limits the length (decisions.md#7), before it parses', () => {
    const longest = `https://example.com/${'a'.repeat(URL_CHARACTERS_MAX - 20)}`;
    expect(guardCallbackUrl(longest, deployed)).toBeNull();
    expect(guardCallbackUrl(`${longest}a`, deployed)).toBe('URL is longer than 2048 characters');
    expect(guardCallbackUrl('a'.repeat(1_000_000), deployed)).toBe(
      'URL is longer than 2048 characters',
    );
  });

  test('never throws, and never allows an IP address or a single label', () => {
    const hosts = fc.oneof(fc.webAuthority(), fc.ipV4Extended(), fc.ipV6(), fc.string());
    fc.assert(
      fc.property(hosts, (host) => {
        const url = `http://${host}/`;
        if (guardCallbackUrl(url, deployed) === null) {
          const { hostname } = new URL(url);
          expect(hostname).toMatch(/[a-z_-][a-z0-9_-]*\.?$/);
          expect(hostname).toContain('.');
        }
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.ipV4Extended(), (address) => {
        expect(guardCallbackUrl(`http://${address}/`, deployed)).toBe(atIpAddress);
      }),
    );
  });
});

describe('in local development only (decisions.md#18)', () => {
  test.each([
    'http://localhost:9000/hook',
    'https://localhost/hook',
    'http://127.0.0.1:9000/',
    'http://127.8.9.10/',
    'http://2130706433:9000/',
    'http://[::1]:9000/',
    'https://example.com/',
  ])('also allows %s', (url) => {
    expect(guardCallbackUrl(url, local)).toBeNull();
  });

  test.each([
    ['http://localhost:8787/', ourselves],
    ['http://127.0.0.1:8787/', ourselves],
    ['http://[::1]:8787/', ourselves],
    ['http://10.0.0.1/', atIpAddress],
    ['http://192.168.0.1/', atIpAddress],
    ['http://169.254.169.254/', atIpAddress],
    ['http://128.0.0.1/', atIpAddress],
    ['http://[::ffff:127.0.0.1]/', atIpAddress],
    ['http://[::2]/', atIpAddress],
    ['http://app.localhost/', special],
    ['http://127.0.0.1.local/', special],
    ['http://kubernetes/', singleLabel],
    ['http://user@localhost:9000/', userInfo],
  ])('still rejects %s: %s', (url, reason) => {
    expect(guardCallbackUrl(url, local)).toBe(reason);
  });
});
