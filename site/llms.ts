import type { Document } from './documents.ts';
import { EXAMPLE_ORIGIN } from './gateway.ts';
import { markdownUrlOf } from './markdown.ts';
import { SECTIONS, type Section } from './navigation.ts';

/** Texts for programs that read the documentation (https://llmstxt.org). All links are absolute. */

const INTRODUCTION = `# Kefel

> A payment gateway for merchants in Ethiopia: create a hosted or an express payment over HTTPS, learn its outcome by signed webhook.
`;

const MERCHANT_SECTIONS = SECTIONS.filter(({ audience }) => audience === 'merchants');

/** `/llms.txt`: a list of all pages. */
export function llmsText(documents: readonly Document[]): string {
  return [
    INTRODUCTION,
    `What a merchant needs in one file: ${EXAMPLE_ORIGIN}/llms-merchant.txt. All pages in one file: ${EXAMPLE_ORIGIN}/llms-full.txt.\n`,
    listOf(SECTIONS, documents),
  ].join('\n');
}

/** `/llms-merchant.txt`: a list of the pages for merchants, then their texts. */
export function llmsMerchantText(documents: readonly Document[]): string {
  return [
    INTRODUCTION,
    `The API's address is ${EXAMPLE_ORIGIN}, its OpenAPI document ${EXAMPLE_ORIGIN}/openapi.json.\n`,
    listOf(MERCHANT_SECTIONS, documents),
    textsOf(MERCHANT_SECTIONS, documents, 'hosted'),
  ].join('\n');
}

/** `/llms-full.txt`: the texts of all pages, in the order of the menu. */
export function llmsFullText(documents: readonly Document[]): string {
  return textsOf(SECTIONS, documents);
}

function listOf(sections: readonly Section[], documents: readonly Document[]): string {
  return sections
    .map((section) => {
      const links = documentsOf(section, documents).map(
        ({ name, title, summary }) =>
          `- [${title}](${EXAMPLE_ORIGIN}${markdownUrlOf(name)}): ${summary}\n`,
      );
      return `## ${section.title}\n\n${links.join('')}`;
    })
    .join('\n');
}

function textsOf(
  sections: readonly Section[],
  documents: readonly Document[],
  form: 'standalone' | 'hosted' = 'standalone',
): string {
  return sections
    .flatMap((section) => documentsOf(section, documents))
    .map(
      (document) =>
        `<!-- ${EXAMPLE_ORIGIN}${markdownUrlOf(document.name)} -->\n\n${document[form].trim()}\n`,
    )
    .join('\n');
}

function documentsOf(section: Section, documents: readonly Document[]): Document[] {
  return section.documents.flatMap((name) =>
    documents.filter((document) => document.name === name),
  );
}
