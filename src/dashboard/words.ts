import { amharic } from '../i18n/am.ts';
import { english } from '../i18n/en.ts';
import { languageOf } from '../i18n/language.ts';
import type { Messages, Widened } from '../i18n/messages.ts';

/** The languages of the dashboard. The customers' pages speak two more. */
export const DASHBOARD_LANGUAGES = { en: 'English', am: 'አማርኛ' } as const;

export type DashboardLanguage = keyof typeof DASHBOARD_LANGUAGES;

/** The words of one part of the dashboard; they stand beside the pages that show them. */
export type Words<Shape> = Readonly<Record<DashboardLanguage, Shape>>;

/** English gives the shape; the other language must say the same things. */
export function words<const English>(
  en: English,
  am: NoInfer<Widened<English>>,
): Words<Widened<English>> {
  return { en: en as Widened<English>, am };
}

/** What the member chose by the switch, now or earlier; else what the browser prefers. */
export function dashboardLanguageOf(request: Request): DashboardLanguage {
  return languageOf(request) === 'am' ? 'am' : 'en';
}

/** The customers' words in the dashboard's languages: names of methods, dates, amounts. */
export const SHARED_WORDS: Readonly<Record<DashboardLanguage, Messages>> = {
  en: english,
  am: amharic,
};
