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

/** No two parts of an expression can match the same text, so that each runs in linear time. */
const DECLARATION = /^\s*(?:<\?xml\s[^?<>]*\?>\s*)?/;
const START_TAG = new RegExp(String.raw`<(${QUALIFIED_NAME})(?:${ATTRIBUTE})*\s*(/?)>`, 'y');
const END_TAG = new RegExp(String.raw`</(${QUALIFIED_NAME})\s*>`, 'y');

const SPACE = /\s*/y;

const COMMENT_START = '<!--';
const CDATA_START = '<![CDATA[';
const CDATA_END = ']]>';

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
  const reader = new Reader(xml, shape);
  return reader.readDocument() ? reader.texts : null;
}

/** Escapes a value for the text of an element or attribute. */
export function xmlEscape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

interface OpenElement {
  readonly name: string;
  /** What to read within; null: nothing. */
  readonly wanted: XmlShape | 'text' | null;
}

class Reader {
  readonly texts = new Map<string, string>();
  readonly #xml: string;
  readonly #shape: XmlShape;
  readonly #open: OpenElement[] = [];
  /** Wanted elements with children that have occurred. */
  readonly #seen = new Set<XmlShape>();
  #position = 0;
  /** The text so far of the open wanted text element. */
  #text = '';

  constructor(xml: string, shape: XmlShape) {
    this.#xml = xml;
    this.#shape = shape;
  }

  readDocument(): boolean {
    this.#position = DECLARATION.exec(this.#xml)?.[0].length ?? 0;
    if (!this.#skipComments()) {
      return false;
    }
    do {
      if (!this.#readMarkup() || (this.#open.length > 0 && !this.#readText())) {
        return false;
      }
    } while (this.#open.length > 0);
    return this.#skipComments() && this.#position === this.#xml.length;
  }

  /** Outside the root element: false for a malformed comment. */
  #skipComments(): boolean {
    this.#take(SPACE);
    while (this.#xml.startsWith(COMMENT_START, this.#position)) {
      if (!this.#skipComment()) {
        return false;
      }
      this.#take(SPACE);
    }
    return true;
  }

  /** False for a comment that does not end at its first `--`, and within a wanted text. */
  #skipComment(): boolean {
    const end = this.#xml.indexOf('--', this.#position + COMMENT_START.length);
    const isComment = end >= 0 && this.#xml.startsWith('>', end + 2) && !this.#isWanted();
    this.#position = end + '-->'.length;
    return isComment;
  }

  #readMarkup(): boolean {
    if (this.#xml.startsWith(COMMENT_START, this.#position)) {
      return this.#skipComment();
    }
    if (this.#xml.startsWith(CDATA_START, this.#position)) {
      return this.#readCharacterData();
    }
    const end = this.#take(END_TAG);
    if (end !== null) {
      return this.#close(end[1] ?? '');
    }
    const start = this.#take(START_TAG);
    if (start === null) {
      return false;
    }
    const name = start[1] ?? '';
    return this.#enter(name) && (start[2] === '' || this.#close(name));
  }

  #take(tag: RegExp): RegExpExecArray | null {
    tag.lastIndex = this.#position;
    const match = tag.exec(this.#xml);
    this.#position += match?.[0].length ?? 0;
    return match;
  }

  #enter(name: string): boolean {
    const parent = this.#open.at(-1);
    const shape = parent === undefined ? this.#shape : parent.wanted;
    if (this.#open.length >= DEPTH_MAX || shape === 'text') {
      return false;
    }
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

  /** Reads up to the next markup; rejects a document that ends within an element. */

  #readText(): boolean {
    const end = this.#xml.indexOf('<', this.#position);
    const text = this.#xml.slice(this.#position, Math.max(end, 0));
    this.#position = end;
    if (this.#isWanted()) {
      this.#text += decoded(text);
    }
    return end >= 0 && !UNKNOWN_REFERENCE.test(text);
  }

  #readCharacterData(): boolean {
    const start = this.#position + CDATA_START.length;
    const end = this.#xml.indexOf(CDATA_END, start);
    this.#position = end + CDATA_END.length;
    if (this.#isWanted()) {
      this.#text += this.#xml.slice(start, Math.max(end, start));
    }
    return this.#open.length > 0 && end >= 0;
  }

  #isWanted(): boolean {
    return this.#open.at(-1)?.wanted === 'text';
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
