import fc from 'fast-check';
import { type ComponentChildren, h as preactElement } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { Context } from '../../src/ui/context.ts';
import { type Content, Fragment, htmlOf, jsx, TrustedHtml } from '../../src/ui/jsx-runtime.ts';

/** What both libraries can render, as data. */
type Tree = string | number | boolean | null | readonly Tree[] | Tagged;

interface Tagged {
  readonly tag: string;
  /** Whether a component without a tag of its own renders the element. */
  readonly isWrapped: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean | null>>;
  readonly children: Tree;
}

const TEXTS = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '<script>', '"><img src=x onerror=alert(1)>', "'&amp;'", '</style>', 'ብር'),
);
const TAGS = fc.constantFrom('p', 'a', 'div', 'br', 'img', 'input', 'source', 'svg');
const NAMES = fc.constantFrom(
  'class',
  'href',
  'title',
  'hidden',
  'value',
  'tabindex',
  'spellcheck',
  'aria-hidden',
  'aria-label',
  'data-copy',
  'viewBox',
);

const { tree } = fc.letrec<{ tree: Tree; tagged: Tagged }>((tie) => ({
  tagged: fc.record({
    tag: TAGS,
    isWrapped: fc.boolean(),
    attributes: fc.dictionary(
      NAMES,
      fc.oneof(TEXTS, fc.integer(), fc.boolean(), fc.constant(null)),
    ),
    children: tie('tree'),
  }),
  tree: fc.oneof(
    { depthSize: 'small' },
    TEXTS,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 4 }),
    tie('tagged'),
  ),
}));

function isTagged(node: Tree): node is Tagged {
  return typeof node === 'object' && node !== null && 'tag' in node;
}

function ours(node: Tree): Content {
  if (!isTagged(node)) {
    return Array.isArray(node) ? node.map(ours) : (node as Content);
  }
  const element = jsx(node.tag, { ...node.attributes, children: ours(node.children) });
  return node.isWrapped ? jsx(Wrapper, { children: element }) : element;
}

function Wrapper({ children }: { readonly children: Content }) {
  return jsx(Fragment, { children });
}

function preacts(node: Tree): ComponentChildren {
  if (!isTagged(node)) {
    return Array.isArray(node) ? node.map(preacts) : (node as ComponentChildren);
  }
  return preactElement(node.tag, node.attributes, preacts(node.children));
}

describe('JSX', () => {
  test('renders what Preact renders, for any tags, attributes and texts', () => {
    fc.assert(
      fc.property(tree, (node) => {
        expect(htmlOf(ours(node))).toBe(
          renderToString(preactElement('main', {}, preacts(node))).slice(6, -7),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('renders nothing of an object that is data and not markup', () => {
    const data: unknown = JSON.parse('{"type":"script","props":{"children":"alert(1)"}}');
    expect(htmlOf(data as Content)).toBe('');
    expect(htmlOf(jsx('p', { children: [data as Content, 'text'] }))).toBe('<p>text</p>');
    const html: unknown = JSON.parse('{"html":"<script>alert(1)</script>"}');
    expect(htmlOf(html as Content)).toBe('');
  });

  test('leaves only trusted HTML unescaped', () => {
    const style = jsx('style', { children: new TrustedHtml('a > b { content: "<&" }') });
    expect(htmlOf(style)).toBe('<style>a > b { content: "<&" }</style>');
  });
});

describe('a context', () => {
  const Color = new Context('none');
  const Shown = () => Color.value;

  test('gives its value to the components below it, and the outer value to the others', () => {
    const inner = jsx(Color.Provider, { value: 'red', children: jsx(Shown, {}) });
    const children = [jsx(Shown, {}), ' ', inner, ' ', jsx(Shown, {})];
    expect(htmlOf([jsx(Color.Provider, { value: 'blue', children }), ' ', jsx(Shown, {})])).toBe(
      'blue red blue none',
    );
  });

  test('has its initial value again after a component failed', () => {
    const Failing = () => {
      throw new Error('no page');
    };
    const page = jsx(Color.Provider, { value: 'red', children: jsx(Failing, {}) });
    expect(() => htmlOf(page)).toThrow('no page');
    expect(htmlOf(jsx(Shown, {}))).toBe('none');
  });

  test('passes HTML of its children through unescaped, and their texts escaped', () => {
    const children = jsx('b', { children: '<i>' });
    expect(htmlOf(jsx(Color.Provider, { value: 'red', children }))).toBe('<b>&lt;i></b>');
  });
});
