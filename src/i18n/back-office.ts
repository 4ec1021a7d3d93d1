import * as amharic from './am.ts';
import * as english from './en.ts';
import { LANGUAGE_NAMES, languageOf } from './language.ts';
import type {
  CheckoutMessages,
  DashboardMessages,
  DeskMessages,
  HomeMessages,
} from './messages.ts';

/** The languages of the home page, the dashboard and the desk. Customers' pages have two more. */
export type BackOfficeLanguage = 'en' | 'am';

/** Texts of an area in each of these languages. */
type Texts<Messages> = Readonly<Record<BackOfficeLanguage, Messages>>;

/** Texts shared with the customers' pages: names of methods, dates, amounts. */
export const CHECKOUT_TEXTS: Texts<CheckoutMessages> = {
  en: english.checkout,
  am: amharic.checkout,
};
export const DASHBOARD_TEXTS: Texts<DashboardMessages> = {
  en: english.dashboard,
  am: amharic.dashboard,
};
export const DESK_TEXTS: Texts<DeskMessages> = { en: english.desk, am: amharic.desk };
export const HOME_TEXTS: Texts<HomeMessages> = { en: english.home, am: amharic.home };

/** For the switch. */
export const BACK_OFFICE_LANGUAGE_NAMES: Readonly<Record<BackOfficeLanguage, string>> = {
  en: LANGUAGE_NAMES.en,
  am: LANGUAGE_NAMES.am,
};

/** What the reader chose by the switch, now or earlier; else what the browser prefers. */
export function backOfficeLanguageOf(request: Request): BackOfficeLanguage {
  return languageOf(request) === 'am' ? 'am' : 'en';
}
