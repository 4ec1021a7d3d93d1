import { describe, expect, test } from 'vitest';
import {
  LANGUAGES,
  languageOf,
  preferredLanguage,
  rememberingCookie,
} from '../../src/i18n/language.ts';
import type { CheckoutMessages } from '../../src/i18n/messages.ts';
import { timeText } from '../../src/i18n/time-text.ts';

describe('Accept-Language', () => {
  test.each([
    ['am', 'am'],
    ['am-ET,am;q=0.9,en;q=0.8', 'am'],
    ['fr-FR,fr;q=0.9,om;q=0.3,en;q=0.2', 'om'],
    ['en;q=0.5, TI-et;q=0.7', 'ti'],
    ['en, am', 'en'],
    ['am;q=0', null],
    ['am;q=2', null],
    ['am;q=x', null],
    ['*', null],
    ['', null],
    ['fr', null],
    ['amharic', null],
    ['__proto__,constructor', null],
    [`${'x,'.repeat(600)}am`, null],
  ])('%s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe('the language of an answer', () => {
  const request = (query: string, headers: Readonly<Record<string, string>>) =>
    new Request(`https://pay.example.com/checkout/t1${query}`, { headers });

  test.each([
    ['the switch wins', '?lang=om', { cookie: 'kefel_language=ti', 'accept-language': 'am' }, 'om'],
    ['then what was chosen before', '', { cookie: 'a=b; kefel_language=ti' }, 'ti'],
    ['then what the browser prefers', '', { 'accept-language': 'am' }, 'am'],
    ['else English', '', { 'accept-language': 'fr' }, 'en'],
    ['an unknown choice is none', '?lang=xx', { cookie: 'kefel_language=xx' }, 'en'],
    ['a huge cookie is not read', '', { cookie: `kefel_language=ti; ${'x'.repeat(20_000)}` }, 'en'],
  ] as const)('%s', (_name, query, headers, language) => {
    expect(languageOf(request(query, headers))).toBe(language);
  });

  test('only a choice is remembered, for a year, and over https only there', () => {
    expect(rememberingCookie(request('', { 'accept-language': 'am' }))).toBeNull();
    expect(rememberingCookie(request('?lang=xx', {}))).toBeNull();
    expect(rememberingCookie(request('?lang=am', {}))).toBe(
      'kefel_language=am; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
    );
    const plain = new Request('http://localhost:8787/checkout/t1?lang=am');
    expect(rememberingCookie(plain)).not.toContain('Secure');
  });
});

/** Paths of all words, with what stands there. */
function wordsOf(value: unknown, path = ''): [string, unknown][] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => wordsOf(inner, `${path}.${key}`))
    : [[path, value]];
}

/** A function's sentence round recognisable parameters. */
function sentence(words: unknown): string {
  return typeof words === 'function' ? String(words('{0}', '{1}')) : String(words);
}

describe.each(Object.entries<CheckoutMessages>(LANGUAGES))('%s', (code, language) => {
  const english = new Map(wordsOf(LANGUAGES.en));
  const words = wordsOf(language);

  test('has every key, and none that English has not', () => {
    expect(words.map(([path]) => path)).toEqual([...english.keys()]);
  });

  test('has words everywhere, with every parameter in them', () => {
    for (const [path, value] of words.filter(([path]) => path !== '.dateTime')) {
      const placeholders = (text: string) => [...new Set(text.match(/\{\d\}/g))].sort();
      expect(sentence(value).trim(), path).not.toBe('');
      expect(placeholders(sentence(value)), path).toEqual(
        placeholders(sentence(english.get(path))),
      );
    }
  });

  test('is no copy of English', () => {
    const isName = (path: string) => path.startsWith('.methodName');
    const same = words.filter(
      ([path, value]) => !isName(path) && sentence(value) === sentence(english.get(path)),
    );
    const shared = ['.languages', '.quantityTimes', '.dateTime'];
    expect(
      code === 'en' ? [] : same.map(([path]) => path).filter((p) => !shared.includes(p)),
    ).toEqual([]);
  });

  test('says what language it is', () => {
    expect(language.locale).toBe(`${code}-ET`);
  });
});

describe('dates and times, in Ethiopia, by its calendar where it is read', () => {
  const NOON_MS = Date.UTC(2026, 10, 21, 9);
  /** The last day of the Ethiopian year 2019, after a leap day. */
  const PAGUMEN_MS = Date.UTC(2027, 8, 11, 20, 59);

  test.each([
    ['en', NOON_MS, '21 Nov 2026, 12:00 EAT'],
    ['en', PAGUMEN_MS, '11 Sep 2027, 23:59 EAT'],
    ['am', NOON_MS, '21 ኖቬምበር 2026 (12 ኅዳር 2019 ዓ.ም.)፣ 12:00 EAT'],
    ['om', NOON_MS, '21 Sadaasa 2026, 12:00 EAT'],
    ['ti', NOON_MS, '21 ኖቬምበር 2026 (12 ሕዳር 2019 ዓ.ም.)፣ 12:00 EAT'],
  ] as const)('%s %i', (code, atMs, words) => {
    expect(timeText(atMs, LANGUAGES[code])).toBe(words);
  });

  test('the thirteenth month', () => {
    expect(timeText(PAGUMEN_MS, LANGUAGES.am)).toContain('ጳጉሜን 2019');
  });
});
