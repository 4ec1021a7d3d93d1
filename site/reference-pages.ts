import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The site shows `docs/reference.md`, which is one long file, as a page per call and one of all objects. */
const REFERENCE = readFileSync(join(import.meta.dirname, '../docs/reference.md'), 'utf8');

/** Up to the table of the calls, then a part for each heading below it. */
const [OVERVIEW = '', ...SECTIONS] = REFERENCE.split(/^## (?!Calls$)/m);
const PARTS = SECTIONS.map((section) => {
  const [heading = ''] = section.split('\n', 1);
  return { heading, slug: slugOf(heading), text: section.slice(heading.length) };
});

/** What each path begins with in the sandbox. */
const SANDBOX = '/api/v1/payment/sandbox';

/** The page of each heading that has left the first page. */
const PAGE_BY_ANCHOR = new Map(
  PARTS.flatMap(({ slug, text }) => [
    [slug, slug] as const,
    ...[...text.matchAll(/^### (.+)$/gm)].map(
      ([, name = '']) => [slugOf(name), `${slug}#${slugOf(name)}`] as const,
    ),
  ]),
);

/** The names of the documents, in the order of the reference. */
export const REFERENCE_PAGES = PARTS.map(({ slug }) => `reference/${slug}`);

/** Each page's name in `docs`, without `.md`, and its Markdown. */
export function referencePages(): [name: string, markdown: string][] {
  return PARTS.map(({ heading, slug, text }) => [
    `reference/${slug}`,
    [
      `# ${heading}`,
      text
        .replaceAll(/\]\((?=[\w-]+\.md)/g, '](../')
        .replaceAll(/\]\(#([\w-]+)\)/g, (_link, anchor) => `](${fileOf(anchor)})`)
        .replaceAll(/^### /gm, '## ')
        .replace(
          /^`([A-Z]+) (.+)`$/m,
          `\`$1 ${SANDBOX}$2\` · [Paths, keys and units](../reference.md)`,
        )
        .trim(),
    ].join('\n\n'),
  ]);
}

/** The text of a document in `docs`, with links to the reference's parts led to their pages. */
export function withReferencePages(name: string, text: string): string {
  if (name === 'reference') {
    return OVERVIEW.replaceAll(
      /\]\(#([\w-]+)\)/g,
      (_link, anchor) => `](reference/${fileOf(anchor)})`,
    );
  }
  return text.replaceAll(/\breference\.md#([\w-]+)/g, (link, anchor) =>
    PAGE_BY_ANCHOR.has(anchor) ? `reference/${fileOf(anchor)}` : link,
  );
}

/** `payment`: `objects.md#payment`. */
function fileOf(anchor: string): string {
  const [page, heading] = (PAGE_BY_ANCHOR.get(anchor) ?? anchor).split('#');
  return heading === undefined ? `${page}.md` : `${page}.md#${heading}`;
}

function slugOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
