/**
 * The pages' JSX, as HTML. `jsxImportSource` in tsconfig.json makes TypeScript and esbuild turn each
 * tag into a call of `jsx`. Pages are rendered once and never change in the browser, so that the
 * Workers need no more than this of a library for components. Of Preact we use the types of tags and
 * attributes; a test compares what both render.
 */
import type { JSX as Preact } from 'preact';

/** What stands between two tags. Text is escaped; `null`, `undefined` and booleans show nothing. */
export type Content =
  | Markup
  | TrustedHtml
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Content[];

type Props = Readonly<Record<string, unknown>>;

type Component = (props: never) => Content;

/** A tag or component with its properties. An object of any other class, such as JSON, is none. */
export class Markup {
  readonly type: string | Component;
  readonly props: Props;

  constructor(type: string | Component, props: Props) {
    this.type = type;
    this.props = props;
  }
}

/** Text that is not escaped. It must be our own. */
export class TrustedHtml {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

/** By these TypeScript checks tags, components and attributes. */
export declare namespace JSX {
  type Element = Markup;
  type ElementType = keyof IntrinsicElements | Component;
  type IntrinsicElements = Preact.IntrinsicElements;
  interface ElementChildrenAttribute {
    readonly children: unknown;
  }
}

export function jsx<Properties extends object>(
  type: string | ((props: Properties) => Content),
  props: Properties,
): Markup {
  return new Markup(type, props as Props);
}

/** `jsxs`: with several children. `jsxDEV`: by the test runner. */
export { jsx as jsxDEV, jsx as jsxs };

export function Fragment({ children }: { readonly children?: Content }): Content {
  return children;
}

/** Elements without an end tag: https://html.spec.whatwg.org/multipage/syntax.html#void-elements */
const VOID_ELEMENTS = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);

export function htmlOf(content: Content): string {
  if (typeof content === 'string') {
    return escaped(content);
  }
  if (content instanceof Markup) {
    const { type, props } = content;
    return typeof type === 'string' ? elementHtml(type, props) : htmlOf(type(props as never));
  }
  if (Array.isArray(content)) {
    return content.reduce<string>((html, part) => html + htmlOf(part), '');
  }
  if (content instanceof TrustedHtml) {
    return content.html;
  }
  return typeof content === 'number' ? String(content) : '';
}

function elementHtml(tag: string, props: Props): string {
  let start = `<${tag}`;
  for (const name in props) {
    if (name !== 'children') {
      start += attributeHtml(name, props[name]);
    }
  }
  const inner = htmlOf(props.children as Content);
  return inner === '' && VOID_ELEMENTS.has(tag) ? `${start}/>` : `${start}>${inner}</${tag}>`;
}

/** Attributes that write out `true` and `false`. */
const WITH_BOOLEANS = /^(?:aria-|data-|draggable$|spellcheck$)/;

/** Names come from our code, never from data. */
function attributeHtml(name: string, value: unknown): string {
  const shown = typeof value === 'boolean' && WITH_BOOLEANS.test(name) ? String(value) : value;
  if (shown == null || shown === false) {
    return '';
  }
  return shown === true || shown === '' ? ` ${name}` : ` ${name}="${escaped(String(shown))}"`;
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };

function escaped(text: string): string {
  // Most texts have none of these: a test is cheaper than a replacement.
  return /["&<]/.test(text)
    ? text.replace(/["&<]/g, (character) => ENTITIES[character] ?? '')
    : text;
}
