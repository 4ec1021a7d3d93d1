/**
 * Minimal XML reader for SOAP messages, in one pass over the text. Neither Workers nor Node has an
 * XML parser, and the libraries that run in both are larger than a whole rail.
 */

/** Real messages nest 8 deep. */
const DEPTH_MAX = 32;

/** Names are `prefix:local`, each half at most 64 characters long. */
const NAME = String.raw`[A-Za-z_][\w.-]{0,63}`;
const QUALIFIED_NAME = `(?:${NAME}:)?${NAME}`;
const ATTRIBUTE = String.raw`\s+${QUALIFIED_NAME}\s*=\s*(?:"[^"<&]*"|'[^'<&]*')`;

const DECLARATION = /^\s*(?:<\?xml\s[^?<>]*\?>\s*)?/;

/**
 * A comment, which ends at its first `--`, character data, a tag or a text. No two parts of it can
 * match the same text, so that it runs in linear time.
 */
const TOKEN = new RegExp(
  [
    '(?<comment><!--[^-]*(?:-[^-]+)*-->)',
    String.raw`<!\[CDATA\[(?<data>[^]*?)\]\]>`,
    String.raw`</(?<end>${QUALIFIED_NAME})\s*>`,
    String.raw`<(?<start>${QUALIFIED_NAME})(?:${ATTRIBUTE})*\s*(?<isEmpty>/?)>`,
    '(?<text>[^<]+)',
  ].join('|'),
  'y',
);

/** The five entities that XML itself defines, and characters by number; all others are errors. */
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));/g;
const UNKNOWN_REFERENCE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const ENTITY_NAMES = new Map(
  Object.entries(ENTITIES).map(([name, character]) => [character, name]),
);
const CODE_POINT_MAX = 0x10_ff_ff;

/** The elements to read, by local name; `'text'` for an element with nothing but text. */
export interface XmlShape {
  readonly [localName: string]: XmlShape | 'text';
}

/**
 * The trimmed texts of the wanted elements by local name. Null when the document is not well-formed,
 * has a DOCTYPE or processing instructions, a comment within a wanted text, or a wanted element
 * twice, because parsers may read such a document differently. Ignores prefixes, because the rail
 * changes them. Skips all other elements and comments and never stores their texts.
 */
export function xmlTexts(xml: string, shape: XmlShape): ReadonlyMap<string, string> | null {
  const reader = new Reader(shape);
  TOKEN.lastIndex = DECLARATION.exec(xml)?.[0].length ?? 0;
  while (TOKEN.lastIndex < xml.length) {
    const { groups = null } = TOKEN.exec(xml) ?? {};
    if (groups === null || !reader.read(groups)) {
      return null;
    }
  }
  return reader.isComplete ? reader.texts : null;
}

/** Escapes a value for the text of an element or attribute. */
export function xmlEscape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${ENTITY_NAMES.get(character)};`);
}

interface OpenElement {
  readonly name: string;
  /** What to read within; null: nothing. */
  readonly wanted: XmlShape | 'text' | null;
}

class Reader {
  readonly texts = new Map<string, string>();
  readonly #shape: XmlShape;
  readonly #open: OpenElement[] = [];
  /** Wanted elements with children that have occurred. */
  readonly #seen = new Set<XmlShape>();
  #hasRoot = false;
  /** The text so far of the open wanted text element. */
  #text = '';

  constructor(shape: XmlShape) {
    this.#shape = shape;
  }

  get isComplete(): boolean {
    return this.#hasRoot && this.#open.length === 0;
  }

  /** False for a token that must not stand here. */
  read({
    comment,
    data,
    end,
    start,
    isEmpty,
    text = '',
  }: Partial<Record<string, string>>): boolean {
    const isWanted = this.#open.at(-1)?.wanted === 'text';
    if (comment !== undefined) {
      return !isWanted;
    }
    if (end !== undefined) {
      return this.#close(end);
    }
    if (start !== undefined) {
      return this.#enter(start) && (isEmpty === '' || this.#close(start));
    }
    if (isWanted) {
      this.#text += data ?? decoded(text);
    }
    // Outside the root element, only space.
    return this.#open.length > 0
      ? !UNKNOWN_REFERENCE.test(text)
      : data === undefined && text.trim() === '';
  }

  #enter(name: string): boolean {
    const parent = this.#open.at(-1);
    const shape = parent === undefined ? this.#shape : parent.wanted;
    const isSecondRoot = parent === undefined && this.#hasRoot;
    if (isSecondRoot || this.#open.length >= DEPTH_MAX || shape === 'text') {
      return false;
    }
    this.#hasRoot = true;
    const localName = localNameOf(name);
    const wanted = shape !== null && Object.hasOwn(shape, localName) ? shape[localName] : undefined;
    this.#open.push({ name, wanted: wanted ?? null });
    if (wanted === undefined) {
      return true;
    }
    this.#text = '';
    const isFirst = wanted === 'text' ? !this.texts.has(localName) : !this.#seen.has(wanted);
    if (wanted !== 'text') {
      this.#seen.add(wanted);
    }
    return isFirst;
  }

  #close(name: string): boolean {
    const element = this.#open.pop();
    if (element?.wanted === 'text') {
      this.texts.set(localNameOf(name), this.#text.trim());
    }
    return element?.name === name;
  }
}

function localNameOf(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function decoded(text: string): string {
  return text.replace(REFERENCE, (_all, entity?: string, decimal?: string, hexadecimal?: string) =>
    entity === undefined
      ? character(Number.parseInt(decimal ?? hexadecimal ?? '', decimal === undefined ? 16 : 10))
      : (ENTITIES[entity] ?? ''),
  );
}

function character(codePoint: number): string {
  return codePoint <= CODE_POINT_MAX ? String.fromCodePoint(codePoint) : '\uFFFD';
}
