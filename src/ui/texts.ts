import type { Language } from '../i18n/language.ts';
import { Context } from './context.ts';
import { htmlOf, jsx, type Markup } from './jsx-runtime.ts';

/** An area's texts. A language that the area does not have shows English. */
export type Texts<Messages> = { readonly en: Messages } & Readonly<
  Partial<Record<Language, Messages>>
>;

const PageLanguage = new Context<Language | null>(null);

/** The page's document in its language, which every component finds by `useTexts`. */
export function htmlIn(language: Language, page: Markup): string {
  const { Provider } = PageLanguage;
  return `<!doctype html>${htmlOf(jsx(Provider, { value: language, children: page }))}`;
}

/** For components: the language of the page that is being rendered. */
export function useLanguage(): Language {
  if (PageLanguage.value === null) {
    throw new Error('no page is being rendered');
  }
  return PageLanguage.value;
}

/** For components: an area's texts in the language of the page that is being rendered. */
export function useTexts<Messages>(texts: Texts<Messages>): Messages {
  return texts[useLanguage()] ?? texts.en;
}
