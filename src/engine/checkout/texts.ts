import type { Language } from '../../kit/i18n/language.ts';
import { useTexts } from '../../kit/ui/texts.ts';
import { checkout as english } from '../i18n/en.ts';
import type { CheckoutMessages } from '../i18n/messages.ts';

/** An isolate loads a translation with its first page in that language. */
const TRANSLATIONS: Readonly<Record<Language, () => Promise<{ checkout: CheckoutMessages }>>> = {
  en: async () => ({ checkout: english }),
  am: () => import('../i18n/am.ts'),
  om: () => import('../i18n/om.ts'),
  ti: () => import('../i18n/ti.ts'),
};

const loaded: { en: CheckoutMessages } & Partial<Record<Language, CheckoutMessages>> = {
  en: english,
};

/** Precedes rendering, which cannot wait for a translation. */
export async function loadTexts(language: Language): Promise<void> {
  loaded[language] ??= (await TRANSLATIONS[language]()).checkout;
}

/** What customers read, in the language of the page that is being rendered. */
export function useText(): CheckoutMessages {
  return useTexts(loaded);
}
