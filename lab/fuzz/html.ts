/** As much of HTML as our own pages need, which escape `<` and `>` everywhere. */

export interface FilledForm {
  readonly method: 'GET' | 'POST';
  readonly action: string;
  readonly fields: readonly [string, string][];
}

export function linksIn(html: string): readonly string[] {
  return [...html.matchAll(/<a(\s[^>]*)?>/g)].map(([, text]) => attributesIn(text).href ?? '');
}

/** The forms as a browser would send them, with a value in each empty field. */
export function formsIn(html: string): readonly FilledForm[] {
  return [...html.matchAll(/<form(\s[^>]*)?>(.*?)<\/form>/gs)].map(([, own, inner = '']) => {
    const { method, action = '' } = attributesIn(own);
    const inputs = inner.matchAll(
      /<(input|textarea|select|button)(\s[^>]*)?>(?:<option(\s[^>]*)?>)?/g,
    );
    const fields = [...inputs].flatMap(([, tag, text, option]): [string, string][] => {
      const { name, type, value = '' } = attributesIn(text);
      const values: Readonly<Record<string, string | undefined>> = {
        input: value || (type === 'checkbox' ? 'on' : '1'),
        textarea: 'A text',
        select: attributesIn(option).value,
        button: value,
      };
      return name === undefined ? [] : [[name, values[String(tag)] ?? '']];
    });
    return { method: method?.toUpperCase() === 'POST' ? 'POST' : 'GET', action, fields };
  });
}

function attributesIn(text = ''): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [
      name,
      value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
    ]),
  );
}
