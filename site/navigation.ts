import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { REFERENCE_PAGES } from './reference-pages.ts';
import type { Audience } from './search.ts';

/** The site's menu: every document of `docs`, in the order in which a reader needs them. */
export interface Section {
  readonly title: string;
  readonly audience: Audience;
  /** Paths in `docs`, without `.md`. */
  readonly documents: readonly string[];
  /** The start of the pages that alone show it in the menu; without it, all do. */
  readonly shownOn?: string;
}

/** A page for each provider; the overview belongs to those who run a gateway. */
const PROVIDERS = readdirSync(join(import.meta.dirname, '../docs/rails'))
  .filter((file) => file !== 'README.md')
  .map((file) => `rails/${basename(file, '.md')}`)
  .sort();

export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    audience: 'merchants',
    documents: [
      'quick-start',
      'payments',
      'shop',
      'shop-am',
      'links',
      'refunds',
      'webhooks',
      'webhook-frameworks',
      'notifications',
      'embedding',
      'clients',
      'sandbox',
      'dashboard',
    ],
  },
  {
    title: 'Look it up',
    audience: 'merchants',
    documents: ['questions', 'api', 'reference', 'errors', 'lists', 'changelog'],
  },
  {
    title: 'Calls and objects',
    audience: 'merchants',
    documents: REFERENCE_PAGES,
    shownOn: 'reference',
  },
  {
    title: 'Run a gateway',
    audience: 'operators',
    documents: [
      ...['deploy', 'operations', 'end-of-day', 'night', 'operator', 'backup', 'retention'],
      ...['network', 'rails/README'],
    ],
  },
  {
    title: 'Providers',
    audience: 'operators',
    documents: PROVIDERS,
  },
  {
    title: 'How it is built',
    audience: 'developers',
    documents: [
      'architecture',
      'changing',
      'will-not-do',
      'decisions',
      'promises',
      'state-machine',
      'storage',
      'reliability',
      'benchmarks',
      'cost',
      'scale',
    ],
  },
];

/** `document`: null on the page for addresses without one. */
export function isShownOn({ shownOn = '' }: Section, document: string | null): boolean {
  return (document ?? '').startsWith(shownOn);
}

/** The first page of the site is for merchants, too, though the menu does not name it. */
export function audienceOf(document: string): Audience {
  return SECTIONS.find(({ documents }) => documents.includes(document))?.audience ?? 'merchants';
}

/** A document with its neighbors, for the links at the end of its page. */
export interface Place {
  readonly section: string;
  readonly previous: string | null;
  readonly next: string | null;
}

export function placeOf(document: string): Place | null {
  const all = SECTIONS.flatMap(({ documents }) => documents);
  const index = all.indexOf(document);
  const section = SECTIONS.find(({ documents }) => documents.includes(document));
  if (section === undefined) {
    return null;
  }
  return {
    section: section.title,
    previous: all[index - 1] ?? null,
    next: all[index + 1] ?? null,
  };
}
