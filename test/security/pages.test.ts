import { expect, test } from 'vitest';
import { useGateway } from '../workers/support.ts';
import { hostile, hostileWorld, INPUTS } from './hostile-world.ts';

/**
 * Goal: no text becomes markup, and no page runs or embeds anything but our own
 * (docs/reliability.md#v3). Method: hostile texts in every input, every page of the gateway
 * parsed as HTML, and its headers.
 */

const caught = useGateway();

/** What a browser would run, load or follow on the page and we did not write. */
async function violationsIn(html: string): Promise<string[]> {
  const found: string[] = [];
  let script = '';
  const parsed = new HTMLRewriter()
    .on('script', {
      text: ({ text }) => {
        script += text.trim();
      },
    })
    .on('*', {
      element: ({ tagName, attributes }) => {
        for (const [name = '', value = ''] of attributes as Iterable<string[]>) {
          if (
            /^on/.test(name) ||
            ['style', 'srcdoc', 'formaction', 'http-equiv', 'ping'].includes(name)
          ) {
            found.push(`<${tagName} ${name}="${value}">`);
          }
          if (/^(?:href|src|action|xlink:href|poster|data)$/.test(name) && !isOurs(value)) {
            found.push(`<${tagName} ${name}="${value}">`);
          }
        }
      },
    })
    .on(
      'iframe, object, embed, base, template, math, frame, script:not([src^="/"]), img[src="x"]',
      {
        element: ({ tagName }) => {
          found.push(`<${tagName}>`);
        },
      },
    )
    .transform(new Response(html));
  await parsed.text();
  return script === '' ? found : [...found, `inline script: ${script}`];
}

/** Our own paths and fragments, images in the page, and the merchant's https pages. */
function isOurs(url: string): boolean {
  return /^(?:\/(?!\/)|#|\?|data:(?:image\/(?:svg\+xml|png|webp|jpeg)[;,]|,$)|https:\/\/|$)/.test(
    url,
  );
}

test.each([
  hostile('unescaped'),
  '<a href="javascript:a()">x</a>',
  '<form action="//evil.example">',
  '<p onclick="a()">',
  '<p style="color:red">',
  '<base href="/x">',
  '<meta http-equiv="refresh" content="0">',
  '<script src="https://evil.example/a.js"></script>',
])('the check of pages finds %s', async (markup) => {
  expect(await violationsIn(`<!doctype html><main>${markup}</main>`)).not.toEqual([]);
});

test('ASVS 5.0 V1.2.1, V3.4 hostile texts in every input stay text on every page', async () => {
  const pages = await hostileWorld(caught);
  const seen = new Set<string>();
  const problems: string[] = [];
  let documents = 0;
  for (const { name, open } of pages) {
    const response = await open();
    const { status, headers } = response;
    const html = await response.text();
    if (status >= 500) {
      problems.push(`${name}: ${status}`);
    }
    for (const input of INPUTS.filter((text) => html.includes(text))) {
      seen.add(input);
    }
    if (!(headers.get('content-type') ?? '').startsWith('text/html')) {
      continue;
    }
    documents += 1;
    problems.push(...(await violationsIn(html)).map((violation) => `${name}: ${violation}`));
    problems.push(...headerProblems(headers).map((problem) => `${name}: ${problem}`));
  }
  expect(problems).toEqual([]);
  expect(INPUTS.filter((input) => !seen.has(input))).toEqual([]);
  expect(documents).toBeGreaterThan(150);
});

/** ASVS 5.0 V3.4.1 to V3.4.6. */
function headerProblems(headers: Headers): string[] {
  const policy = headers.get('content-security-policy') ?? '';
  const wanted: readonly (readonly [string, boolean])[] = [
    ['V3.4.1 HSTS', /max-age=31536000/.test(headers.get('strict-transport-security') ?? '')],
    ['V3.4.2 CORS', headers.get('access-control-allow-origin') === null],
    ['V3.4.3 default-src', policy.includes("default-src 'none'")],
    ['V3.4.3 script-src', /script-src 'self'(?:;|$)/.test(policy)],
    ['V3.4.3 base-uri', policy.includes("base-uri 'none'")],
    ['V3.4.3 Trusted Types', policy.includes("require-trusted-types-for 'script'")],
    ['V3.4.3 nothing unsafe', !/unsafe-|\*/.test(policy)],
    ['V3.4.4 nosniff', headers.get('x-content-type-options') === 'nosniff'],
    ['V3.4.5 referrer', /^(?:no-referrer|same-origin)$/.test(headers.get('referrer-policy') ?? '')],
    ['V3.4.6 frame-ancestors', policy.includes("frame-ancestors 'none'")],
    ['X-Frame-Options', headers.get('x-frame-options') === 'DENY'],
    ['no-store', headers.get('cache-control') === 'no-store'],
  ];
  return wanted.filter(([, isSet]) => !isSet).map(([name]) => name);
}
