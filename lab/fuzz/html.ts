/** As much of HTML as our own pages need, which escape `<` and `>` everywhere. */

export interface FilledForm {
  readonly method: 'GET' | 'POST';
  readonly action: string;
  readonly fields: readonly (readonly [string, string])[];
}

export function linksIn(html: string): readonly string[] {
  return tags(html, 'a').map(({ attributes }) => attributes.get('href') ?? '');
}

/** The forms as a browser would send them, with a value in each empty field. */
export function formsIn(html: string): readonly FilledForm[] {
  return tags(html, 'form').map(({ attributes, endsAt }) => {
    const inner = html.slice(endsAt, html.indexOf('</form>', endsAt));
    const fields = [
      ...tags(inner, 'input').map((input) => [input, filledValue(input.attributes)] as const),
      ...tags(inner, 'textarea').map((area) => [area, 'A text'] as const),
      ...tags(inner, 'select').map((select) => {
        const [option] = tags(inner.slice(select.endsAt), 'option');
        return [select, option?.attributes.get('value') ?? ''] as const;
      }),
      ...tags(inner, 'button').map((button) => {
        return [button, button.attributes.get('value') ?? ''] as const;
      }),
    ];
    return {
      method: attributes.get('method')?.toUpperCase() === 'POST' ? 'POST' : 'GET',
      action: attributes.get('action') ?? '',
      fields: fields.flatMap(([tag, value]) => {
        const name = tag.attributes.get('name');
        return name === undefined ? [] : [[name, value] as const];
      }),
    };
  });
}

function filledValue(attributes: ReadonlyMap<string, string>): string {
  return attributes.get('value') || (attributes.get('type') === 'checkbox' ? 'on' : '1');
}

interface Tag {
  readonly attributes: ReadonlyMap<string, string>;
  readonly endsAt: number;
}

function tags(html: string, name: string): readonly Tag[] {
  return [...html.matchAll(new RegExp(`<${name}(\\s[^>]*)?>`, 'g'))].map((match) => ({
    attributes: new Map(
      [...(match[1] ?? '').matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(
        ([, key = '', value = '']) => [
          key,
          value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
        ],
      ),
    ),
    endsAt: match.index + match[0].length,
  }));
}
