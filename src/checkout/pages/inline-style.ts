import { type ComponentChildren, h } from 'preact';

/**
 * A style sheet within the page: one round trip less before a phone can show anything. The CSP
 * allows it by its hash. CSS is no HTML: escaped, its selectors would break, so what is put in must
 * be ours.
 */
export function inlineStyle(css: string): ComponentChildren {
  return h('style', { dangerouslySetInnerHTML: { __html: css } });
}
