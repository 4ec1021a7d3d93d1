import { type Content, htmlOf, TrustedHtml } from './jsx-runtime.ts';

/**
 * A value for the components of a page. It is set while they are rendered: rendering is synchronous,
 * so no other request's page comes between.
 */
export class Context<Value> {
  /** Of the page that is being rendered, or the initial one. */
  value: Value;

  constructor(initial: Value) {
    this.value = initial;
  }

  /** A component that renders its children with the value. */
  readonly Provider = (props: { readonly value: Value; readonly children: Content }) => {
    const outer = this.value;
    this.value = props.value;
    try {
      return new TrustedHtml(htmlOf(props.children));
    } finally {
      this.value = outer;
    }
  };
}
