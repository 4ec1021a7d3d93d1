/** A part of a page, in the list of its contents. */
export interface Heading {
  readonly id: string;
  /** With its code, but without a link. */
  readonly html: string;
}

/** The parts of the first depth, out of the page that markdown-it has rendered. */
export function headingsOf(content: string): Heading[] {
  return [...content.matchAll(/<h2 id="([^"]*)"[^>]*>([\s\S]*?)<\/h2>/g)].map(
    ([, id = '', html = '']) => ({ id, html: html.replaceAll(/<\/?a\b[^>]*>/g, '') }),
  );
}
