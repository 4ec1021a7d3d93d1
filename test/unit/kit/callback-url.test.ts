import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import {
  callbackUrlField,
  httpUrlField,
  matchesCallbackPattern,
  returnUrlField,
} from '../../../src/kit/http/url-fields.ts';

/** As published (docs/api.md#limits): exponential, so it only gets short strings here. */
const PUBLISHED = /^(https?):\/\/(?!-)(?:[a-zA-Z0-9-]{1,63}\.?)*(?::\d{1,5})?(?:\/(?:[^\s]*)?)?$/;

const HOSTILE_LENGTH = 60 * 1024;

describe('matchesCallbackPattern (decisions.md#12)', () => {
  const tail = fc.string({ unit: fc.constantFrom(...'aZ0-..:/9 \n?@_é'), maxLength: 12 });
  const start = fc.constantFrom('http://', 'https://', 'http:/', 'HTTP://', 'ftp://', '');

  test('accepts the same texts as the published pattern', () => {
    fc.assert(
      fc.property(start, tail, (before, after) => {
        expect(matchesCallbackPattern(before + after)).toBe(PUBLISHED.test(before + after));
      }),
      { numRuns: 20_000 },
    );
  });

  test('accepts the same texts for every string of five over the deciding characters', () => {
    const tails = ['a', '-', '.', ':', '/', '0', ' '];
    let texts = [''];
    for (let length = 0; length < 5; length += 1) {
      texts = texts.flatMap((text) => [text, ...tails.map((character) => text + character)]);
    }
    const differing = [...new Set(texts)]
      .map((text) => `http://${text}`)
      .filter((text) => matchesCallbackPattern(text) !== PUBLISHED.test(text));
    expect(differing).toEqual([]);
  });

  test.each([
    ['one label', `http://${'a'.repeat(HOSTILE_LENGTH)}!`],
    ['many labels', `http://${'a.'.repeat(HOSTILE_LENGTH / 2)}!`],
    ['hyphens', `http://a${'-'.repeat(HOSTILE_LENGTH)}!`],
    ['a path and a space', `http://a/${'/'.repeat(HOSTILE_LENGTH)} `],
  ])('rejects a hostile long text: %s', (_name, text) => {
    expect(matchesCallbackPattern(text)).toBe(false);
  });
});

describe('callbackUrlField (decisions.md#12)', () => {
  test.each([
    'https://shop.example/hook?order=1#part',
    'http://shop.example:8080',
    'https://Shop.Example./hook',
    'https://203.0.113.7/hook',
    'http://localhost:9000/',
    'https://xn--bcher-kva.example/',
  ])('accepts %s', (url) => {
    expect(v.safeParse(callbackUrlField, url)).toMatchObject({ success: true, output: url });
  });

  test.each([
    ['http://', 'valid http or https URL'],
    ['http:///hook', 'valid http or https URL'],
    ['http://:80/', 'valid http or https URL'],
    ['http://shop.example:99999/', 'valid http or https URL'],
    ['https://user:secret@shop.example/', 'user name or password'],
    ['https://-shop.example/', 'letters, digits, hyphens'],
    ['https://shop..example/', 'letters, digits, hyphens'],
    ['https://shop.example?x=1', 'letters, digits, hyphens'],
    ['https://ሱቅ.example/', 'letters, digits, hyphens'],
    ['https://shop_1.example/', 'letters, digits, hyphens'],
    ['HTTPS://shop.example/', 'letters, digits, hyphens'],
    ['https://[::1]/', 'letters, digits, hyphens'],
    ['http://2130706433/', 'not as an encoded address'],
    ['http://0x7f.1/', 'not as an encoded address'],
    ['http://127.1/', 'not as an encoded address'],
    ['http://010.0.0.1/', 'not as an encoded address'],
  ])('rejects %s', (url, message) => {
    const result = v.safeParse(callbackUrlField, url, { abortPipeEarly: true });
    expect(result.issues?.[0].message).toContain(message);
  });
});

describe('httpUrlField (decisions.md#12, api.md#error-5)', () => {
  test.each([
    'https://shop.example/done?order=1&lang=am#top',
    'http://localhost:3000',
    'HTTPS://shop.example',
    'https://ሱቅ.example/ተመለስ',
    'https://shop.example/@handle?mail=a@b',
    'https://[2001:db8::1]/',
  ])('accepts %s', (url) => {
    expect(v.safeParse(httpUrlField, url)).toMatchObject({ success: true, output: url });
  });

  test.each([
    ['', 'valid http or https URL'],
    ['shop.example', 'valid http or https URL'],
    ['ftp://shop.example', 'valid http or https URL'],
    ['javascript:alert(1)', 'valid http or https URL'],
    ['https:shop.example', 'valid http or https URL'],
    ['https:///shop.example', 'valid http or https URL'],
    ['https:\\\\shop.example', 'valid http or https URL'],
    ['https://?x', 'valid http or https URL'],
    ['https://shop.example:70000', 'valid http or https URL'],
    [' https://shop.example', 'valid http or https URL'],
    ['https://shop.example/ ', 'spaces or control'],
    ['https://shop.example/a b', 'spaces or control'],
    ['https://sh\top.example/', 'spaces or control'],
    ['https://shop.example/\u0000', 'control characters, or half'],
    ['https://shop.example/\ud800', 'control characters, or half'],
    ['https://user@shop.example', 'user name or password'],
    ['https://@shop.example', 'user name or password'],
    ['https://:secret@shop.example/', 'user name or password'],
  ])('rejects %j', (url, message) => {
    const result = v.safeParse(httpUrlField, url, { abortPipeEarly: true });
    expect(result.issues?.[0].message).toContain(message);
  });

  test('accepts 2,048 characters and no more (decisions.md#7)', () => {
    const longest = 'https://shop.example/'.padEnd(2_048, 'a');
    expect(v.safeParse(httpUrlField, longest).success).toBe(true);
    expect(v.safeParse(httpUrlField, `${longest}a`).issues?.[0].message).toBe(
      'too_long: Must be at most 2048 characters long.',
    );
  });
});

describe('decisions.md#20: returnUrlField', () => {
  const field = returnUrlField(['myshop', 'com.example.shop']);

  test.each([
    'https://shop.example/done',
    'myshop://paid',
    'myshop://orders/1?a=b#c',
    'com.example.shop://paid',
  ])('accepts %s', (url) => {
    expect(v.safeParse(field, url)).toMatchObject({ success: true, output: url });
  });

  test.each([
    'other://paid',
    'myshops://paid',
    'myshop',
    'myshop:paid',
    'myshop:///paid',
    'MyShop://paid',
    ' myshop://paid',
    'myshop://pa\tid',
    'javascript://myshop://paid',
    'intent://paid#Intent;scheme=myshop;end',
    'com-example.shop://paid',
    `myshop://${'a'.repeat(2_048)}`,
  ])('rejects %j', (url) => {
    expect(v.safeParse(field, url).success).toBe(false);
  });

  test('names the registered schemes', () => {
    const messageOf = (url: string, schemes = ['myshop', 'com.example.shop']) =>
      v.safeParse(returnUrlField(schemes), url).issues?.[0].message.replace('invalid_format: ', '');
    const registered =
      'Must be a valid http or https URL, or begin with myshop:// or com.example.shop://.';
    const hint = 'The operator can register the scheme of your app.';
    expect(messageOf('other://x')).toBe(`${registered} ${hint}`);
    expect(messageOf('shop.example')).toBe(registered);
    expect(messageOf('myshop://x', [])).toBe(`Must be a valid http or https URL. ${hint}`);
    // No app can have this one.
    expect(messageOf('javascript://x', [])).toBe('Must be a valid http or https URL.');
  });
});
