/** A customer's browser without JavaScript: fetches pages, fills in forms, follows redirects. */

export interface Form {
  /** Absolute. */
  readonly action: string;
  readonly inputs: readonly FormInput[];
  readonly buttons: readonly FormButton[];
}

export interface FormInput {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly isChecked: boolean;
  readonly isReadOnly: boolean;
}

export interface FormButton {
  readonly name: string | null;
  readonly value: string;
  readonly text: string;
}

export interface Page {
  /** Where the redirects ended. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text of the first `h1`. */
  readonly heading: string;
  /** The readable text, without tags. */
  readonly text: string;
  readonly forms: readonly Form[];
  /** Absolute targets of links, by their text. */
  readonly links: ReadonlyMap<string, string>;
  /** Every address on the way, first to last, including `url`. */
  readonly trail: readonly string[];
}

const REDIRECTS_MAX = 5;

export async function open(url: string): Promise<Page> {
  return pageOf(await fetch(url, { redirect: 'manual' }), url, [url]);
}

/** Posts a form as a browser does: its fields, the customer's changes, and the pressed button. */
export async function submit(
  form: Form,
  changes: Readonly<Record<string, string>> = {},
  button: FormButton | null = form.buttons[0] ?? null,
): Promise<Page> {
  return pageOf(await post(form, changes, button), form.action, [form.action]);
}

/** The answer to a form; redirects are not followed. */
export function post(
  form: Form,
  changes: Readonly<Record<string, string>> = {},
  button: FormButton | null = form.buttons[0] ?? null,
): Promise<Response> {
  const fields = new URLSearchParams();
  for (const input of form.inputs) {
    const isChoice = input.type === 'radio' || input.type === 'checkbox';
    if (!(input.name in changes) && (!isChoice || input.isChecked)) {
      fields.append(input.name, input.value);
    }
  }
  for (const [name, value] of Object.entries(changes)) {
    fields.append(name, value);
  }
  if (button !== null && button.name !== null) {
    fields.append(button.name, button.value);
  }
  return fetch(form.action, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: fields.toString(),
    redirect: 'manual',
  });
}

/** The form that posts to an address ending in `suffix`. */
export function formTo(page: Page, suffix: string): Form {
  const form = page.forms.find((candidate) => candidate.action.endsWith(suffix));
  if (form === undefined) {
    throw new Error(`no form to ${suffix} on ${page.url} ("${page.heading}")`);
  }
  return form;
}

async function pageOf(response: Response, url: string, trail: readonly string[]): Promise<Page> {
  if (response.status === 303 || response.status === 302) {
    if (trail.length > REDIRECTS_MAX) {
      throw new Error(`redirected too often: ${trail.join(' → ')}`);
    }
    const next = new URL(response.headers.get('location') ?? '', url).href;
    return pageOf(await fetch(next, { redirect: 'manual' }), next, [...trail, next]);
  }
  const html = await response.text();
  return {
    url,
    status: response.status,
    headers: response.headers,
    html,
    heading: textOf(elements(html, 'h1')[0]?.inner ?? ''),
    text: textOf(elements(html, 'body')[0]?.inner ?? html),
    forms: elements(html, 'form').map((element) => formOf(element, url)),
    links: new Map(
      elements(html, 'a').map(({ inner, attributes }) => [
        textOf(inner),
        new URL(attributes.get('href') ?? '', url).href,
      ]),
    ),
    trail,
  };
}

function formOf({ attributes, inner }: Element, url: string): Form {
  if (attributes.get('method')?.toLowerCase() !== 'post') {
    throw new Error('the form does not use POST');
  }
  return {
    action: new URL(attributes.get('action') ?? '', url).href,
    inputs: tags(inner, 'input').map((input) => ({
      name: input.get('name') ?? '',
      type: input.get('type') ?? 'text',
      value: input.get('value') ?? '',
      isChecked: input.has('checked'),
      isReadOnly: input.has('readonly'),
    })),
    buttons: elements(inner, 'button').map((button) => ({
      name: button.attributes.get('name') ?? null,
      value: button.attributes.get('value') ?? '',
      text: textOf(button.inner),
    })),
  };
}

type Attributes = ReadonlyMap<string, string>;

interface Element {
  readonly attributes: Attributes;
  readonly inner: string;
}

/** Elements of one name; the elements that we search are never nested in themselves. */
function elements(html: string, name: string): readonly Element[] {
  const found: Element[] = [];
  for (const { attributes, endsAt } of openingTags(html, name)) {
    const closesAt = html.indexOf(`</${name}>`, endsAt);
    found.push({ attributes, inner: html.slice(endsAt, closesAt < 0 ? undefined : closesAt) });
  }
  return found;
}

function tags(html: string, name: string): readonly Attributes[] {
  return openingTags(html, name).map(({ attributes }) => attributes);
}

/** Our pages escape `<` and `>` everywhere, so a tag ends at the next `>`. */
function openingTags(
  html: string,
  name: string,
): readonly { readonly attributes: Attributes; readonly endsAt: number }[] {
  const found: { attributes: Attributes; endsAt: number }[] = [];
  for (let at = html.indexOf(`<${name}`); at >= 0; at = html.indexOf(`<${name}`, at + 1)) {
    const startsAt = at + name.length + 1;
    const closesAt = html.indexOf('>', startsAt);
    if (closesAt >= 0 && /[\s/>]/.test(html.charAt(startsAt))) {
      found.push({
        attributes: attributesOf(html.slice(startsAt, closesAt)),
        endsAt: closesAt + 1,
      });
    }
  }
  return found;
}

function attributesOf(text: string): Attributes {
  const matches = text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g);
  return new Map([...matches].map(([, name = '', value = '']) => [name, decoded(value)]));
}

function textOf(html: string): string {
  return decoded(html.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
};

function decoded(text: string): string {
  return text
    .replaceAll(/&#(\d+);/g, (_entity, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
