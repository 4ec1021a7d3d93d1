import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Language } from '../i18n/language.ts';

/** An area's texts. A language that the area does not have shows English. */
export type Texts<Messages> = { readonly en: Messages } & Readonly<
  Partial<Record<Language, Messages>>
>;

/**
 * Set while a page is rendered. Rendering is synchronous, so no other request's page comes between.
 * Preact's contexts would need its hooks, which are a hundredth of the payments' bundle.
 */
let pageLanguage: Language | null = null;

/** The page's document in its language, which every component finds by `useTexts`. */
export function htmlIn<Props>(language: Language, page: VNode<Props>): string {
  pageLanguage = language;
  try {
    return `<!doctype html>${renderToString(page)}`;
  } finally {
    pageLanguage = null;
  }
}

/** For components: the language of the page that is being rendered. */
export function useLanguage(): Language {
  if (pageLanguage === null) {
    throw new Error('no page is being rendered');
  }
  return pageLanguage;
}

/** For components: an area's texts in the language of the page that is being rendered. */
export function useTexts<Messages>(texts: Texts<Messages>): Messages {
  return texts[useLanguage()] ?? texts.en;
}
