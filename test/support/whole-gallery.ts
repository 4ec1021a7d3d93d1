import { LANGUAGE_NAMES, type Language } from '../../src/kit/i18n/language.ts';
import { BACK_OFFICE_GALLERY } from './back-office-gallery.tsx';
import { GALLERY, startGallery } from './gallery.ts';

const ALL_LANGUAGES = Object.keys(LANGUAGE_NAMES) as readonly Language[];
const OFFICE_LANGUAGES: readonly Language[] = ['en', 'am'];

/** Customers have all languages, merchants and operators two. */
export const LANGUAGES_BY_STATE: ReadonlyMap<string, readonly Language[]> = new Map([
  ...Object.keys(GALLERY).map((state) => [state, ALL_LANGUAGES] as const),
  ...Object.keys(BACK_OFFICE_GALLERY).map((state) => [state, OFFICE_LANGUAGES] as const),
]);

/** The galleries of the tests as one. */
export function startWholeGallery(port: number) {
  return startGallery({ ...GALLERY, ...BACK_OFFICE_GALLERY }, port);
}
