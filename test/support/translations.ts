import { checkout as am } from '../../src/engine/i18n/am.ts';
import { checkout as en } from '../../src/engine/i18n/en.ts';
import type { CheckoutMessages } from '../../src/engine/i18n/messages.ts';
import { checkout as om } from '../../src/engine/i18n/om.ts';
import { checkout as ti } from '../../src/engine/i18n/ti.ts';
import type { Language } from '../../src/kit/i18n/language.ts';

/** What customers read, in every language. */
export const TRANSLATIONS = { en, am, om, ti } satisfies Record<Language, CheckoutMessages>;
