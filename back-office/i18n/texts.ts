import { am as amharicAlerts } from '../../src/control/alerts/words/am.ts';
import { en as englishAlerts } from '../../src/control/alerts/words/en.ts';
import type { AlertWords } from '../../src/control/alerts/words/words.ts';
import * as amharic from '../../src/engine/i18n/am.ts';
import * as english from '../../src/engine/i18n/en.ts';
import type { CheckoutMessages } from '../../src/engine/i18n/messages.ts';
import { LANGUAGE_NAMES, languageOf } from '../../src/kit/i18n/language.ts';
import { dashboard as amharicDashboard } from './am/dashboard.ts';
import { desk as amharicDesk } from './am/desk.ts';
import { home as amharicHome } from './am/home.ts';
import { selfCheck as amharicSelfCheck } from './am/self-check.ts';
import { dashboard as englishDashboard } from './en/dashboard.ts';
import { desk as englishDesk } from './en/desk.ts';
import { home as englishHome } from './en/home.ts';
import { selfCheck as englishSelfCheck } from './en/self-check.ts';
import type {
  DashboardMessages,
  DeskMessages,
  HomeMessages,
  SelfCheckMessages,
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
  en: englishDashboard,
  am: amharicDashboard,
};
export const DESK_TEXTS: Texts<DeskMessages> = { en: englishDesk, am: amharicDesk };
/** What the messages to the operator say of each subject. */
export const ALERT_TEXTS: Texts<AlertWords> = { en: englishAlerts, am: amharicAlerts };
export const SELF_CHECK_TEXTS: Texts<SelfCheckMessages> = {
  en: englishSelfCheck,
  am: amharicSelfCheck,
};
export const HOME_TEXTS: Texts<HomeMessages> = { en: englishHome, am: amharicHome };

/** For the switch. */
export const BACK_OFFICE_LANGUAGE_NAMES: Readonly<Record<BackOfficeLanguage, string>> = {
  en: LANGUAGE_NAMES.en,
  am: LANGUAGE_NAMES.am,
};

/** What the reader chose by the switch, now or earlier; else what the browser prefers. */
export function backOfficeLanguageOf(request: Request): BackOfficeLanguage {
  return languageOf(request) === 'am' ? 'am' : 'en';
}
