import { describe, expect, test } from 'vitest';
import { DASHBOARD_TEXTS, DESK_TEXTS, HOME_TEXTS } from '../../../back-office/i18n/texts.ts';
import { unknownPage } from '../../../src/engine/checkout/notices.ts';
import type { CheckoutMessages } from '../../../src/engine/i18n/messages.ts';
import { POPUP_TEXTS } from '../../../src/engine/i18n/popup.ts';
import {
  LANGUAGE_NAMES,
  languageOf,
  preferredLanguage,
  rememberingCookie,
} from '../../../src/kit/i18n/language.ts';
import { exactTimeText, timeText } from '../../../src/kit/i18n/time-text.ts';
import { TRANSLATIONS } from '../../support/translations.ts';

const BACK_OFFICE = Object.entries({
  dashboard: DASHBOARD_TEXTS,
  desk: DESK_TEXTS,
  home: HOME_TEXTS,
});

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
    ['then the earlier choice', '', { cookie: 'a=b; kefel_language=ti' }, 'ti'],
    ["then the browser's preference", '', { 'accept-language': 'am' }, 'am'],
    ['else English', '', { 'accept-language': 'fr' }, 'en'],
    ['an unknown choice is ignored', '?lang=xx', { cookie: 'kefel_language=xx' }, 'en'],
    ['a huge cookie is not read', '', { cookie: `kefel_language=ti; ${'x'.repeat(20_000)}` }, 'en'],
  ] as const)('%s', (_name, query, headers, language) => {
    expect(languageOf(request(query, headers))).toBe(language);
  });

  test('stores only an explicit choice, for a year, and with Secure over https', () => {
    expect(rememberingCookie(request('', { 'accept-language': 'am' }))).toBeNull();
    expect(rememberingCookie(request('?lang=xx', {}))).toBeNull();
    expect(rememberingCookie(request('?lang=am', {}))).toBe(
      'kefel_language=am; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
    );
    const plain = new Request('http://localhost:8787/checkout/t1?lang=am');
    expect(rememberingCookie(plain)).not.toContain('Secure');
  });
});

/** Paths of all texts, with their values. */
function textsOf(value: unknown, path = ''): [string, unknown][] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`))
    : [[path, value]];
}

/** A text, with recognizable values for its placeholders. */
function sentence(text: unknown): string {
  return typeof text === 'function' ? String(text('{0}', '{1}', '{2}')) : String(text);
}

function placeholders(text: unknown): readonly string[] {
  return [...new Set(sentence(text).match(/\{\d\}/g))].sort();
}

/** Languages compute with a time: the Ethiopian clock counts from six. */
const COMPUTED = ['.dateTime', '.timeOfDay', '.dates.clock', '.dates.dayAndClock'];

const AREAS: readonly (readonly [name: string, english: object, translated: object])[] = [
  ...Object.entries(TRANSLATIONS).map(
    ([code, texts]) => [`checkout ${code}`, TRANSLATIONS.en, texts] as const,
  ),
  ...BACK_OFFICE.flatMap(([area, { en, am }]) => [
    [`${area} en`, en, en] as const,
    [`${area} am`, en, am] as const,
  ]),
];

test.each(Object.entries(TRANSLATIONS))('a page in %s has its texts', async (code, texts) => {
  const page = await unknownPage(new Request(`https://pay.example.com/checkout/t1?lang=${code}`));
  expect(await page.text()).toContain(texts.unknownLead);
});

test('the switch and the script of the merchants name every language', () => {
  expect(Object.keys(LANGUAGE_NAMES)).toEqual(Object.keys(TRANSLATIONS));
  expect(Object.keys(POPUP_TEXTS)).toEqual(Object.keys(TRANSLATIONS));
});

describe.each(AREAS)('%s', (_name, english, translated) => {
  const expected = new Map(textsOf(english));
  const texts = textsOf(translated);

  test('has exactly the texts of English', () => {
    expect(texts.map(([path]) => path)).toEqual([...expected.keys()]);
  });

  test('has no empty text, and every placeholder in its text', () => {
    for (const [path, text] of texts.filter(([path]) => !COMPUTED.includes(path))) {
      expect(sentence(text).trim(), path).not.toBe('');
      expect(placeholders(text), path).toEqual(placeholders(expected.get(path)));
    }
  });
});

describe.each(Object.entries<CheckoutMessages>(TRANSLATIONS))('%s', (code, language) => {
  test('is not a copy of English', () => {
    const english = new Map(textsOf(TRANSLATIONS.en));
    const isName = (path: string) => path.startsWith('.methodName');
    const same = textsOf(language).filter(
      ([path, text]) => !isName(path) && sentence(text) === sentence(english.get(path)),
    );
    const shared = ['.languages', '.quantityTimes', '.dateTime'];
    expect(
      code === 'en' ? [] : same.map(([path]) => path).filter((p) => !shared.includes(p)),
    ).toEqual([]);
  });

  test('names its language', () => {
    expect(language.locale).toBe(`${code}-ET`);
  });
});

describe('dates and times in Ethiopia, with its calendar where people read it', () => {
  const NOON_MS = Date.UTC(2026, 10, 21, 9);
  /** The last day of the Ethiopian year 2019, after a leap day. */
  const PAGUMEN_MS = Date.UTC(2027, 8, 11, 20, 59);

  test.each([
    ['en', NOON_MS, '21 Nov 2026, 12:00 EAT'],
    ['en', PAGUMEN_MS, '11 Sep 2027, 23:59 EAT'],
    ['am', NOON_MS, '21 ኖቬምበር 2026 (12 ኅዳር 2019 ዓ.ም.)፣ ከቀኑ 6:00 ሰዓት (12:00 EAT)'],
    ['om', NOON_MS, '21 Sadaasa 2026, 12:00 EAT'],
    ['ti', NOON_MS, '21 ኖቬምበር 2026 (12 ሕዳር 2019 ዓ.ም.)፣ 12:00 EAT'],
  ] as const)('%s %i', (code, atMs, expected) => {
    expect(timeText(atMs, TRANSLATIONS[code])).toBe(expected);
  });

  /** The Ethiopian clock counts twelve hours from six in the morning and from six in the evening. */
  test.each([
    ['00:00', 'ከሌሊቱ 6:00'],
    ['00:59', 'ከሌሊቱ 6:59'],
    ['05:59', 'ከሌሊቱ 11:59'],
    ['06:00', 'ከጠዋቱ 12:00'],
    ['07:05', 'ከጠዋቱ 1:05'],
    ['11:59', 'ከጠዋቱ 5:59'],
    ['12:00', 'ከቀኑ 6:00'],
    ['17:30', 'ከቀኑ 11:30'],
    ['18:00', 'ከምሽቱ 12:00'],
    ['23:59', 'ከምሽቱ 5:59'],
  ])('%s in Amharic: %s', (time, clock) => {
    const atMs = Date.parse(`2026-11-21T${time}:00+03:00`);
    expect(timeText(atMs, TRANSLATIONS.am)).toMatch(
      new RegExp(`፣ ${clock} ሰዓት \\(${time} EAT\\)$`),
    );
  });

  test('seconds in Amharic', () => {
    expect(exactTimeText(NOON_MS + 7_000, TRANSLATIONS.am)).toContain('ከቀኑ 6:00:07 ሰዓት');
  });

  test('the thirteenth month', () => {
    expect(timeText(PAGUMEN_MS, TRANSLATIONS.am)).toContain('ጳጉሜን 2019');
  });
});
