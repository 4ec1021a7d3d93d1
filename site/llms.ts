import type { Document } from './documents.ts';
import { urlOf } from './markdown.ts';
import { SECTIONS } from './navigation.ts';

const INTRODUCTION = `# Kefel

> A payment gateway for merchants in Ethiopia: create a hosted or an express payment over HTTPS, learn its outcome by signed webhook.
`;

/** `/llms.txt`: what the documentation has, for programs that read it (https://llmstxt.org). */
export function llmsText(documents: readonly Document[]): string {
  const sections = SECTIONS.map(({ title, documents: names }) => {
    const links = inOrder(documents, names).map(
      (document) => `- [${document.title}](${urlOf(document.name)}): ${document.summary}`,
    );
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  return [
    INTRODUCTION,
    ...sections,
    'All of it in one file: [/llms-full.txt](/llms-full.txt)\n',
  ].join('\n');
}

/** `/llms-full.txt`: all documents, in the order of the menu. */
export function llmsFullText(documents: readonly Document[]): string {
  const names = SECTIONS.flatMap((section) => section.documents);
  return inOrder(documents, names)
    .map(({ name, markdown }) => `<!-- ${urlOf(name)} -->\n\n${markdown.trim()}\n`)
    .join('\n');
}

function inOrder(documents: readonly Document[], names: readonly string[]): Document[] {
  return names.flatMap((name) => documents.filter((document) => document.name === name));
}
