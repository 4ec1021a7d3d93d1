/** The site's menu: every document of `docs`, in the order in which a reader needs them. */
export interface Section {
  readonly title: string;
  /** Paths in `docs`, without `.md`. */
  readonly documents: readonly string[];
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    documents: [
      'quick-start',
      'hosted-payments',
      'express-payments',
      'refunds',
      'embedding',
      'clients',
      'verify-webhooks',
      'sandbox',
      'cli',
      'going-live',
    ],
  },
  {
    title: 'Use the API',
    documents: [
      'api',
      'reference',
      'errors',
      'webhooks',
      'lists',
      'idempotency',
      'limits',
      'decisions',
      'promises',
      'changelog',
    ],
  },
  { title: 'Your account', documents: ['dashboard'] },
  { title: 'Run a gateway', documents: ['deploy', 'operations', 'operator', 'rails/README'] },
  {
    title: 'Providers',
    documents: [
      'rails/telebirr-h5',
      'rails/telebirr-ussd',
      'rails/cbe-birr',
      'rails/ethswitch',
      'rails/mpesa',
      'rails/ebirr',
    ],
  },
  {
    title: 'How it is built',
    documents: [
      'architecture',
      'state-machine',
      'storage',
      'webhook-delivery',
      'checkout',
      'read-model',
      'reliability',
      'security-tests',
      'benchmarks',
      'cost',
      'scale',
    ],
  },
];

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
