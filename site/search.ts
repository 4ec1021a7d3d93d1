import MiniSearch, { type Query } from 'minisearch';

/** Who reads a page: merchants' developers, those who run a gateway, those who change Kefel. */
export type Audience = 'merchants' | 'operators' | 'developers';

/** A part of a page that the search finds: a heading and what stands below it. */
export interface SearchEntry {
  /** `/docs/api#limits`; also the entry's id. */
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  /** Its samples. */
  readonly code: string;
  readonly audience: Audience;
}

/** Words that readers type, and what the documents call it. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    callback: ['webhook', 'callbackUrl'],
    card: ['EthSwitch', 'cards'],
    cards: ['EthSwitch'],
    chargeback: ['refund'],
    composer: ['PHP'],
    cost: ['commission'],
    currency: ['ETB', 'USD'],
    disburse: ['split'],
    disbursement: ['split'],
    dispute: ['refund', 'twice'],
    double: ['twice', 'duplicate'],
    duplicate: ['twice', 'idempotency'],
    fee: ['commission'],
    fees: ['commission'],
    hmac: ['signature'],
    iframe: ['frame', 'popup'],
    install: ['copy', 'clients'],
    invoice: ['payment'],
    ipn: ['webhook'],
    javascript: ['TypeScript'],
    laravel: ['PHP', 'plugin'],
    library: ['clients'],
    login: ['sign'],
    magento: ['plugin'],
    mobile: ['app'],
    node: ['TypeScript'],
    notification: ['webhook'],
    ngrok: ['listen'],
    offset: ['cursor'],
    opencart: ['plugin'],
    paginate: ['cursor', 'page', 'lists'],
    pagination: ['cursor', 'page', 'lists'],
    partial: ['part'],
    partially: ['part'],
    payout: ['split', 'splitPayment', 'settlement'],
    payouts: ['split', 'splitPayment', 'settlement'],
    permission: ['permissions', 'role'],
    postman: ['OpenAPI'],
    prestashop: ['plugin'],
    production: ['live'],
    reversal: ['refund'],
    retry: ['repeat', 'retries', 'retrying'],
    sdk: ['clients'],
    settle: ['split', 'splitPayment', 'settlement'],
    settlement: ['split'],
    shopify: ['plugin'],
    swagger: ['OpenAPI'],
    test: ['sandbox'],
    throttle: ['limit', 'limits'],
    timeout: ['expire', 'expireIn'],
    tunnel: ['listen'],
    user: ['member', 'customer'],
    void: ['cancel'],
    woocommerce: ['plugin', 'plugins'],
    wordpress: ['plugin', 'plugins'],
  }),
);

/** Too frequent to say what a reader wants. */
const STOP_WORDS = new Set(
  'a an and are can do does for from how i in is it my of on or the to what when where why with'.split(
    ' ',
  ),
);

/** A synonym counts less than the word itself. */
const SYNONYM_BOOST = 0.5;

/** What counts how much: titles before text, text before code. */
const BOOSTS = { heading: 5, page: 3, parts: 1.5, text: 1, code: 0.4 } as const;

/** A page before one of its parts. */
const WHOLE_PAGE_BOOST = 1.5;

/** Guides rank before lists of calls and fields, and these before errors and release notes. */
const PAGE_BOOSTS: ReadonlyMap<string, number> = new Map([
  ['/docs/reference', 0.7],
  ['/docs/errors', 0.5],
  ['/docs/changelog', 0.3],
]);

/** Merchants' pages before those of operators, and these before how Kefel is built. */
const AUDIENCE_BOOSTS: Readonly<Record<Audience, number>> = {
  merchants: 1,
  operators: 0.35,
  developers: 0.2,
};

/** Finds the parts of pages, the best first: those with all words, then those with some. */
export class Search {
  readonly #index: MiniSearch<SearchEntry>;

  constructor(entries: readonly SearchEntry[]) {
    this.#index = new MiniSearch<SearchEntry>({
      idField: 'url',
      fields: Object.keys(BOOSTS),
      storeFields: ['url', 'page', 'heading', 'text', 'audience'],
      tokenize: wordsOf,
      extractField: (entry, field) =>
        field === 'parts' ? partsIn(entry.heading) : entry[field as keyof SearchEntry],
      searchOptions: {
        prefix: true,
        fuzzy: (word) => (word.length > 4 ? 0.15 : false),
        boost: BOOSTS,
        boostDocument: (url, _word, entry) => {
          // A call's page is a part of the reference.
          const [page = '', part] = String(url).split(/#|(?<=reference)\//);
          return (
            AUDIENCE_BOOSTS[entry?.audience as Audience] *
            (PAGE_BOOSTS.get(page) ?? 1) *
            (part === undefined ? WHOLE_PAGE_BOOST : 1)
          );
        },
      },
    });
    this.#index.addAll(entries);
  }

  find(query: string): SearchEntry[] {
    const words = wordsOf(query).filter((word) => word !== '');
    const telling = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
    const queries = (telling.length === 0 ? words : telling).map(withSynonyms);
    const all = this.#index.search({ combineWith: 'AND', queries });
    const some = queries.length > 1 ? this.#index.search({ combineWith: 'OR', queries }) : [];
    return [...new Map([...all, ...some].map((found) => [found.id, found])).values()].map(
      (found) => found as unknown as SearchEntry,
    );
  }
}

function withSynonyms(word: string): Query {
  const synonyms = SYNONYMS.get(word.toLowerCase()) ?? [];
  if (synonyms.length === 0) {
    return word;
  }
  const others: Query = {
    combineWith: 'OR',
    queries: [...synonyms],
    prefix: false,
    fuzzy: false,
    boostTerm: () => SYNONYM_BOOST,
  };
  return { combineWith: 'OR', queries: [word, others] };
}

/** `paymentIntentUniqueId` and `payment_ended` are one word. */
function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_]+/u);
}

/** The words of a heading such as `payment_ended`: a reader may know a code only by its words. */
function partsIn(heading: string): string {
  return wordsOf(heading)
    .filter((word) => word.includes('_'))
    .join(' ')
    .replace(/_/g, ' ');
}
