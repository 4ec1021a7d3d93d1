import { type Cookie, cookieValue, setCookie } from '../http/cookie.ts';

/** Each language's name for itself, by ISO 639-1 code, in the order of the switch. */
export const LANGUAGE_NAMES = {
  en: 'English',
  am: 'አማርኛ',
  om: 'Afaan Oromoo',
  ti: 'ትግርኛ',
} as const;

export type Language = keyof typeof LANGUAGE_NAMES;

/** The query parameter of the switch's links. */
export const LANGUAGE_PARAMETER = 'lang';

const LANGUAGE_COOKIE: Cookie = {
  name: 'kefel_language',
  path: '/',
  sameSite: 'Lax',
  maxAgeSeconds: 31_536_000,
};

/** Browsers send less than a hundred bytes; bounds the work on hostile headers. */
const ACCEPT_LANGUAGE_LENGTH_MAX = 1_000;

/** What the customer chose by the switch, now or earlier; else what the browser prefers. */
export function languageOf(request: Request): Language {
  return (
    chosenLanguage(request) ??
    knownLanguage(cookieValue(request, LANGUAGE_COOKIE)) ??
    preferredLanguage(request.headers.get('accept-language') ?? '') ??
    'en'
  );
}

/** The `Set-Cookie` that remembers a choice made by this request, or null when it made none. */
export function rememberingCookie(request: Request): string | null {
  const language = chosenLanguage(request);
  return language === null ? null : setCookie(request, LANGUAGE_COOKIE, language);
}

/** The best supported language of `Accept-Language` (RFC 9110, section 12.5.4), or null. */
export function preferredLanguage(header: string): Language | null {
  if (header.length > ACCEPT_LANGUAGE_LENGTH_MAX) {
    return null;
  }
  let best: Language | null = null;
  let bestQuality = 0;
  for (const entry of header.split(',')) {
    const [range = '', ...parameters] = entry.split(';');
    const language = knownLanguage(range.trim().toLowerCase().split('-')[0] ?? '');
    const quality = qualityOf(parameters);
    if (language !== null && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

/** The weight of a language range: 1 if it has none, 0 if it cannot be read. */
function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.map((text) => text.trim()).find((text) => /^q=/i.test(text));
  if (weight === undefined) {
    return 1;
  }
  const quality = Number(weight.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}

function chosenLanguage(request: Request): Language | null {
  return knownLanguage(new URL(request.url).searchParams.get(LANGUAGE_PARAMETER));
}

function knownLanguage(code: string | null): Language | null {
  return code !== null && Object.hasOwn(LANGUAGE_NAMES, code) ? (code as Language) : null;
}
