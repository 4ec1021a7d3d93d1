/**
 * The documents of the repository use the gateway of `npm run dev` in their samples, so that a reader of
 * the repository can run them. Merchants read about the gateway that serves the pages: the site writes
 * an example's origin, which back-office/home/docs.ts replaces by the gateway's own.
 */
const LOCAL_ORIGIN = 'http://localhost:8787';

/** The same in back-office/home/docs.ts. */
export const EXAMPLE_ORIGIN = 'https://pay.example.com';

/** Parts about a gateway on the reader's own machine, between two comments. */
const LOCAL_PART = /<!-- local -->[\s\S]*?<!-- \/local -->/;

/** The text without those parts, for programs that have an account at the gateway. */
export function withoutLocalPart(markdown: string): string {
  return markdown.replace(LOCAL_PART, '');
}

/** The text for merchants: every sample calls the gateway that serves the page. */
export function forMerchants(markdown: string): string {
  const parts = markdown.split(new RegExp(`(${LOCAL_PART.source})`));
  return parts
    .map((part) => (LOCAL_PART.test(part) ? part : part.replaceAll(LOCAL_ORIGIN, EXAMPLE_ORIGIN)))
    .join('');
}
