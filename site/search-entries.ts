/** A part of a page that the search finds: a heading and what stands below it. */
export interface SearchEntry {
  /** `/docs/api#limits`; also the entry's id. */
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

interface BuiltPage {
  readonly url: string;
  readonly content: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** Splits the pages that the generator built at their headings. */
export function searchEntries(pages: readonly BuiltPage[]): SearchEntry[] {
  return pages.flatMap(({ url: file, content }) => {
    const url = file.replace(/\.html$/, '');
    const main = content.slice(content.indexOf('<main'), content.indexOf('</main>'));
    const [, ...parts] = main.split(/<h[1-3] id="/);
    const sections = parts.map((part) => {
      const [id = ''] = part.split('"', 1);
      const [heading = '', text = ''] = part.slice(id.length + 1).split(/<\/h[1-3]>/);
      return { id, heading: plain(heading), text: plain(text) };
    });
    const page = sections[0]?.heading ?? '';
    return sections.map(({ id, heading, text }, index) => ({
      url: index === 0 ? url : `${url}#${id}`,
      page,
      heading,
      text,
    }));
  });
}

function plain(html: string): string {
  return html
    .replace(/^[^<]*>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
