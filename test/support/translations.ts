import { checkout as am } from '../../src/i18n/am.ts';
import { checkout as en } from '../../src/i18n/en.ts';
import type { Language } from '../../src/i18n/language.ts';
import type { CheckoutMessages } from '../../src/i18n/messages.ts';
import { checkout as om } from '../../src/i18n/om.ts';
import { checkout as ti } from '../../src/i18n/ti.ts';

/** What customers read, in every language. */
export const TRANSLATIONS = { en, am, om, ti } satisfies Record<Language, CheckoutMessages>;
