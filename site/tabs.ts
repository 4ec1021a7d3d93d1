import type { StateCore, Token } from 'markdown-it';

/**
 * Alternatives that the page shows one at a time: the same call in several languages. In Markdown they
 * stand one below the other between `<!-- tabs -->` and `<!-- /tabs -->`, each after a paragraph of bold
 * text or a heading that names it. Without JavaScript the page shows them like that, too.
 */
const OPEN = /^<!-- tabs -->\s*$/;
const CLOSE = /^<!-- \/tabs -->\s*$/;
const BOLD_LINE = /^\*\*([^*]+)\*\*$/;

interface Label {
  /** `p`, or the tag of a heading. */
  readonly tag: string;
  readonly text: string;
}

/** A rule of markdown-it: makes a section of each alternative. */
export function groupTabs(state: StateCore): void {
  const tokens: Token[] = [];
  let tag: string | null = null;
  let count = 0;
  for (const [index, token] of state.tokens.entries()) {
    const label = labelAt(state.tokens, index);
    if (token.type === 'html_block' && OPEN.test(token.content)) {
      const first = labelAt(state.tokens, index + 1);
      if (first === null) {
        throw new Error(`${state.env.document}: tabs begin with a bold line or a heading`);
      }
      tag = first.tag;
      count = 0;
      tokens.push(html(state, '<div class="tabs" data-tabs>'));
    } else if (token.type === 'html_block' && CLOSE.test(token.content)) {
      tag = null;
      tokens.push(html(state, '</section></div>'));
    } else {
      if (tag !== null && label?.tag === tag) {
        const name = state.md.utils.escapeHtml(label.text);
        const end = count === 0 ? '' : '</section>';
        tokens.push(html(state, `${end}<section data-tab="${name}">`));
        token.attrJoin('class', 'tab-label');
        count += 1;
      }
      tokens.push(token);
    }
  }
  state.tokens = tokens;
}

function labelAt(tokens: readonly Token[], index: number): Label | null {
  const [open, inline] = tokens.slice(index, index + 2);
  if (open?.type === 'heading_open') {
    return { tag: open.tag, text: textOf(inline) };
  }
  if (open?.type === 'paragraph_open') {
    const [, text] = BOLD_LINE.exec(inline?.content ?? '') ?? [];
    return text === undefined ? null : { tag: 'p', text };
  }
  return null;
}

function textOf(inline: Token | undefined): string {
  return (inline?.children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
    .trim();
}

function html(state: StateCore, content: string): Token {
  const token = new state.Token('html_block', '', 0);
  token.content = `${content}\n`;
  return token;
}
