import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CALLBACK_URL_LENGTH_MAX,
  type GuardOptions,
  guardCallbackUrl,
} from '../../src/webhooks/url-guard.ts';

const deployed: GuardOptions = {
  httpsOnly: false,
  allowLoopback: false,
  ownHosts: ['pay.kefel.et', 'kefel.account.workers.dev'],
};
const local: GuardOptions = {
  httpsOnly: false,
  allowLoopback: true,
  ownHosts: ['localhost:8787', '127.0.0.1:8787', '[::1]:8787'],
};

function reasonOf(url: string, options: GuardOptions): string | null {
  const result = guardCallbackUrl(url, options);
  return result.allowed ? null : result.reason;
}

const atIpAddress = 'host is an IP address';
const special = 'host is reserved for special use';
const singleLabel = 'host is a single label';
const unparsable = 'URL cannot be parsed';
const notAName = 'host is not a domain name';
const userInfo = 'URL carries a user name or password';
const ourselves = 'host is Kefel itself';
const notHttp = 'URL is not http or https';

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
    'https://deadbeef.com/',
    'https://0x7f.com/',
    `https://${'a'.repeat(63)}.example.com/`,
  ])('allows %s', (url) => {
    const result = guardCallbackUrl(url, deployed);
    expect(result).toEqual({ allowed: true, url: new URL(url) });
  });

  test.each([
    // Not a usable address.
    ['', unparsable],
    ['example.com/hook', unparsable],
    ['https://', unparsable],
    ['https:///', unparsable],
    ['https://exa mple.com/', unparsable],
    ['https://example.com:99999/', unparsable],
    ['https://example.com:80a/', unparsable],
    ['https://%00.example.com/', unparsable],
    ['ftp://example.com/', notHttp],
    ['file:///etc/passwd', notHttp],
    ['javascript:alert(1)', notHttp],
    ['data:text/plain,x', notHttp],
    ['ws://example.com/', notHttp],
    ['gopher://example.com/', notHttp],
    ['https://example.com:0/', 'port is 0'],
    // User information, which hides the host from a reader.
    ['https://user@example.com/', userInfo],
    ['https://user:pass@example.com/', userInfo],
    ['https://:pass@example.com/', userInfo],
    ['https://example.com@127.0.0.1/', userInfo],
    ['https://example.com%40@evil.com/', userInfo],
    // IPv4 in every notation.
    ['http://127.0.0.1/', atIpAddress],
    ['http://8.8.8.8/', atIpAddress],
    ['http://169.254.169.254/latest/meta-data/', atIpAddress],
    ['http://100.100.100.200/', atIpAddress],
    ['http://0.0.0.0/', atIpAddress],
    ['http://255.255.255.255/', atIpAddress],
    ['http://127.0.0.1:8080/', atIpAddress],
    ['http://127.0.0.1./', atIpAddress],
    ['http://2130706433/', atIpAddress],
    ['http://2852039166/', atIpAddress],
    ['http://0x7f000001/', atIpAddress],
    ['http://0X7F.0x0.0x0.0x1/', atIpAddress],
    ['http://0x7f.1/', atIpAddress],
    ['http://017700000001/', atIpAddress],
    ['http://0177.0.0.1/', atIpAddress],
    ['http://127.1/', atIpAddress],
    ['http://127.0.1/', atIpAddress],
    ['http://127.0x00.0.01/', atIpAddress],
    ['http://0/', atIpAddress],
    ['http://0x/', atIpAddress],
    ['http://1/', atIpAddress],
    ['http://%31%32%37.0.0.1/', atIpAddress],
    ['http://１２７.0.0.1/', atIpAddress],
    ['http://①②⑦.⓪.⓪.①/', atIpAddress],
    ['http://127。0。0。1/', atIpAddress],
    ['http://127．0｡0.1/', atIpAddress],
    ['http://1\u00ad27.0.0.1/', atIpAddress],
    ['http://127.0.\n0.1/', atIpAddress],
    ['http:\\\\127.0.0.1\\', atIpAddress],
    ['http:127.0.0.1', atIpAddress],
    ['http://256.256.256.256/', unparsable],
    ['http://1.2.3.4.5/', unparsable],
    ['http://4294967296/', unparsable],
    ['http://example.1/', unparsable],
    ['http://127.0.0.1../', notAName],
    // IPv6.
    ['http://[::1]/', atIpAddress],
    ['http://[::]/', atIpAddress],
    ['http://[::ffff:127.0.0.1]/', atIpAddress],
    ['http://[::ffff:7f00:1]/', atIpAddress],
    ['http://[::127.0.0.1]/', atIpAddress],
    ['http://[64:ff9b::7f00:1]/', atIpAddress],
    ['http://[fd00:ec2::254]/', atIpAddress],
    ['http://[fe80::1]/', atIpAddress],
    ['http://[2606:4700::1111]:8443/', atIpAddress],
    ['http://[fe80::1%25eth0]/', unparsable],
    ['http://[::1', unparsable],
    // Names that are not public.
    ['http://localhost/', singleLabel],
    ['http://localhost./', singleLabel],
    ['http://LOCALHOST:8787/', singleLabel],
    ['http://ⓛocalhost/', singleLabel],
    ['http://kubernetes/', singleLabel],
    ['http://metadata/', singleLabel],
    ['http://com/', singleLabel],
    ['http://com./', singleLabel],
    ['http://example.com../', notAName],
    ['http://.example.com/', notAName],
    ['http://a..example.com/', notAName],
    ['http://./', notAName],
    ['http://../', notAName],
    [`http://${'a'.repeat(64)}.com/`, notAName],
    [`http://${'a.'.repeat(127)}com/`, notAName],
    ['http://a!b.example.com/', notAName],
    ["http://a'b.example.com/", notAName],
    ['http://app.localhost/', special],
    ['http://printer.local/', special],
    ['http://PRINTER.LOCAL./', special],
    ['http://metadata.google.internal/computeMetadata/v1/', special],
    ['http://metadata.google.internal./', special],
    ['http://instance-data.ec2.internal/', special],
    ['http://host.docker.internal/', special],
    ['http://metadata.goog/', special],
    ['http://metadata.tencentyun.com/', special],
    ['http://kubernetes.default.svc/', special],
    ['http://kubernetes.default.svc.cluster.local/', special],
    ['http://1.0.0.127.in-addr.arpa/', special],
    ['http://router.home.arpa/', special],
    ['http://router.home/', special],
    ['http://nas.lan/', special],
    ['http://intra.corp/', special],
    ['http://intra.mail/', special],
    ['http://www.intranet/', special],
    ['http://db.private/', special],
    ['http://localhost.localdomain/', special],
    ['http://shop.test/', special],
    ['http://shop.example/', special],
    ['http://shop.invalid/', special],
    ['http://duskgytldkxiuqc6.onion/', special],
    ['http://name.alt/', special],
    ['http://printer。local/', special],
    // Kefel itself, on any port and in any spelling.
    ['https://pay.kefel.et/api/v1/payment', ourselves],
    ['http://pay.kefel.et:8080/', ourselves],
    ['https://PAY.KEFEL.ET./', ourselves],
    ['https://pay。kefel。et/', ourselves],
    ['https://kefel.account.workers.dev/', ourselves],
  ])('rejects %j: %s', (url, reason) => {
    expect(reasonOf(url, deployed)).toBe(reason);
  });

  test('CALLBACK_HTTPS_ONLY forbids http', () => {
    const options = { ...deployed, httpsOnly: true };
    expect(reasonOf('http://example.com/', options)).toBe('URL is not https');
    expect(reasonOf('https://example.com/', options)).toBeNull();
    expect(reasonOf('http://localhost/', { ...local, httpsOnly: true })).toBe('URL is not https');
  });

  test('limits the length (decisions.md#7), before it parses', () => {
    const longest = `https://example.com/${'a'.repeat(CALLBACK_URL_LENGTH_MAX - 20)}`;
    expect(reasonOf(longest, deployed)).toBeNull();
    expect(reasonOf(`${longest}a`, deployed)).toBe('URL is longer than 2048 characters');
    expect(reasonOf('a'.repeat(1_000_000), deployed)).toBe('URL is longer than 2048 characters');
  });

  test('never throws, and never allows an IP address or a single label', () => {
    const hosts = fc.oneof(fc.webAuthority(), fc.ipV4Extended(), fc.ipV6(), fc.string());
    fc.assert(
      fc.property(hosts, (host) => {
        const result = guardCallbackUrl(`http://${host}/`, deployed);
        if (result.allowed) {
          expect(result.url.hostname).toMatch(/[a-z_-][a-z0-9_-]*\.?$/);
          expect(result.url.hostname).toContain('.');
        }
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.ipV4Extended(), (address) => {
        expect(reasonOf(`http://${address}/`, deployed)).toBe(atIpAddress);
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
    expect(reasonOf(url, local)).toBeNull();
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
    expect(reasonOf(url, local)).toBe(reason);
  });
});
