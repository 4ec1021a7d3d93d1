import { EXAMPLE_ORIGIN } from './gateway.ts';
import type { Audience, SearchEntry } from './search.ts';

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

/** Blocks of code. */
const SAMPLE = /<pre\b[\s\S]*?<\/pre>/g;

/** Splits the pages that the generator built at their headings. */
export function searchEntries(
  pages: readonly BuiltPage[],
  audienceOf: (url: string) => Audience,
): SearchEntry[] {
  return pages.flatMap(({ url: file, content }) => {
    const url = file.replace(/\.html$/, '');
    const audience = audienceOf(url);
    const main = content.slice(content.indexOf('<main'), content.indexOf('</main>'));
    const [, ...parts] = main.split(/<h[1-3] id="/);
    const sections = parts.map((part) => {
      const [id = ''] = part.split('"', 1);
      const [heading = '', text = ''] = part.slice(id.length + 1).split(/<\/h[1-3]>/);
      const code = (text.match(SAMPLE) ?? []).join(' ');
      return {
        id,
        heading: plain(heading),
        text: plain(text.replaceAll(SAMPLE, ' ')),
        // Every sample has the gateway's address, which says nothing.
        code: plain(code).replaceAll(EXAMPLE_ORIGIN, ''),
      };
    });
    const page = sections[0]?.heading ?? '';
    return sections.map(({ id, heading, text, code }, index) => ({
      url: index === 0 ? url : `${url}#${id}`,
      page,
      heading,
      text,
      code,
      audience,
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
