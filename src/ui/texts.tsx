import { type ComponentChild, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language } from '../i18n/language.ts';

/** An area's texts. A language that the area does not have shows English. */
export type Texts<Messages> = { readonly en: Messages } & Readonly<
  Partial<Record<Language, Messages>>
>;

const PageLanguage = createContext<Language>('en');

/** The page in its language, which every component below finds without being handed it. */
export function inLanguage(language: Language, page: ComponentChild): VNode {
  return <PageLanguage.Provider value={language}>{page}</PageLanguage.Provider>;
}

/** The language of the page that is being rendered. */
export function useLanguage(): Language {
  return useContext(PageLanguage);
}

/** An area's texts in the language of the page that is being rendered. */
export function useTexts<Messages>(texts: Texts<Messages>): Messages {
  return texts[useLanguage()] ?? texts.en;
}
