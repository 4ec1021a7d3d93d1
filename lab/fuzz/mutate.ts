import type { Random } from '../harness/random.ts';
import type { Template } from './template.ts';
import type { WireRequest } from './wire.ts';

/** Turns requests that users send into requests that nobody should send. */

const MEGABYTE = 1_048_576;
/** The mark by which the oracle finds text that a page does not escape. */
export const MARKUP = '<fuzz"\'>';

/** Wrangler's local proxies handle each chunk by itself: more only slow the run down. */
const CHUNKS_MAX = 1_000;
/** Beyond it, a body was enlarged or nested before: neither has values worth a walk. */
const VALUES_TEXT_MAX = 8_192;
/** Texts that break parsers, queries, pages, logs and files. */
const TEXTS: readonly [string, ...string[]] = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'NaN',
  '1e400',
  '0x10',
  '9007199254740993',
  '99999999999999999999999999999999',
  '1.005',
  '٣',
  MARKUP,
  `'">${MARKUP}`,
  "' OR 1=1 --",
  '%',
  '%00',
  '\0',
  '\ufeff',
  '\u202e',
  'a\u0301'.repeat(300),
  '\ud800',
  '😀'.repeat(200),
  '../../etc/passwd',
  '..\\..',
  '__proto__',
  'constructor',
  'toString',
  'javascript:alert(1)',
  'http://127.0.0.1/',
  'http://[::1]:80/x',
  'https://a@b.example/',
  '=1+1',
  '{{7*7}}',
  '\r\nset-cookie: a=b',
  'x'.repeat(256),
  'x'.repeat(70_000),
  '2026-02-30T00:00:00Z',
  '0000-00-00',
  '+251911223344',
  'ETB',
  'sandbox',
  '1',
];

const JSON_JUNK: readonly [unknown, ...unknown[]] = [
  null,
  true,
  0,
  -0.0,
  -1,
  0.001,
  1e21,
  2 ** 53,
  Number.MAX_VALUE,
  '',
  [],
  {},
  [[[]]],
  [null],
  { a: { b: { c: [] } } },
  Array.from({ length: 200 }, (_, index) => index),
];

const METHODS: readonly [string, ...string[]] = [
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const),
  ...(['PROPFIND', 'REPORT', 'MKCOL', 'get', 'BREW', 'G\u00cbT', 'X'.repeat(300)] as const),
];

type HeaderText = readonly [string, (random: Random) => string];

const HEADERS: readonly [HeaderText, ...HeaderText[]] = [
  ['content-type', (random) => random.pick(CONTENT_TYPES)],
  ['content-encoding', (random) => random.pick(['gzip', 'br', 'identity', 'x', 'gzip, gzip'])],
  ['accept-language', (random) => random.pick(['am', 'q', '*', 'en;q=x', 'om,'.repeat(2_000)])],
  ['idempotency-key', (random) => headerText(random)],
  ['apikey', (random) => random.pick(['kfl_test_', 'kfl_live_x', 'x'.repeat(5_000), '\u00ff'])],
  ['authorization', (random) => random.pick(['Basic', 'Basic %%%', 'Bearer', 'Basic Og==', 'x y'])],
  ['cookie', (random) => random.pick(['__Host-kefel_session=x', ';;;=', 'a=b; '.repeat(3_000)])],
  ['origin', (random) => random.pick(['null', 'https://evil.example', '', 'x'])],
  ['sec-fetch-site', (random) => random.pick(['cross-site', 'same-site', 'none', 'x'])],
  ['last-event-id', (random) => headerText(random)],
  ['if-none-match', (random) => headerText(random)],
  ['range', () => 'bytes=0-1,5-'],
  ['cf-ray', (random) => headerText(random)],
  ['cf-connecting-ip', (random) => random.pick(['::1', 'x', '256.1.1.1', ''])],
  ['x-forwarded-for', (random) => headerText(random)],
  ['accept', (random) => random.pick(['text/event-stream', '*/*;q=x', 'application/json'])],
  ['expect', () => 'x'],
];

const CONTENT_TYPES = [
  'application/json; charset=utf-16',
  'application/json;charset="',
  'text/plain',
  'text/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x',
  '/',
  ';',
  'application/json, text/html',
  '\u00ff\u00fe',
  'x'.repeat(5_000),
] as const;

function headerText(random: Random): string {
  // A header's value ends its line.
  return Buffer.from(random.pick(TEXTS).slice(0, 5_000), 'utf8')
    .toString('latin1')
    .replaceAll(/[\r\n\0]/g, '_');
}

export interface Mutated {
  readonly request: WireRequest;
  /** What was done to the template. */
  readonly mutations: readonly string[];
}

/** One to three mutations of a template; one request in ten stays as it is. */
export function mutated(template: Template, others: readonly Template[], random: Random): Mutated {
  const draft = new Draft(template, others, random);
  const count = random.chance(0.1) ? 0 : random.between(1, 3);
  const mutations: string[] = [];
  while (mutations.length < count) {
    const [name, mutate] = random.pick(MUTATIONS);
    mutate(draft);
    mutations.push(name);
  }
  return { request: draft.request(), mutations };
}

class Draft {
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer | null;
  chunkBytes: number | null = null;
  readonly others: readonly Template[];
  readonly random: Random;

  constructor(template: Template, others: readonly Template[], random: Random) {
    this.method = template.method;
    this.target = template.target;
    this.headers = Object.entries(template.headers);
    this.body = template.body && Buffer.from(template.body);
    this.others = others;
    this.random = random;
  }

  get text(): string {
    return this.body?.toString('utf8') ?? '';
  }

  set text(text: string) {
    this.body = Buffer.from(text, 'utf8');
  }

  setHeader(name: string, value: string): void {
    this.headers = [...this.headers.filter(([other]) => other !== name), [name, value]];
  }

  other(): Template {
    return this.others[this.random.between(0, this.others.length - 1)] ?? this.others[0] ?? NOTHING;
  }

  request(): WireRequest {
    const { method, target, headers, body } = this;
    const smallest = Math.ceil((body?.length ?? 0) / CHUNKS_MAX);
    const chunkBytes = this.chunkBytes && Math.max(this.chunkBytes, smallest);
    return { method, target, headers, body, chunkBytes };
  }
}

const NOTHING: Template = { method: 'GET', target: '/', headers: {}, body: null };

type Mutation = (draft: Draft) => void;

const MUTATIONS: readonly [readonly [string, Mutation], ...(readonly [string, Mutation])[]] = [
  ['value', changeValue],
  ['value', changeValue],
  ['value', changeValue],
  ['value', changeValue],
  ['query', changeQuery],
  ['query', changeQuery],
  ['segment', changeSegment],
  ['segment', changeSegment],
  ['flip bits', flipBits],
  ['truncate', truncate],
  ['repeat a part', repeatPart],
  ['insert bytes', insertBytes],
  ['body of another', takeBody],
  ['duplicate a key', duplicateKey],
  ['nest', nest],
  ['huge', enlarge],
  ['chunks', chunk],
  ['method', (draft) => Object.assign(draft, { method: draft.random.pick(METHODS) })],
  ['header', addHeader],
  ['header', addHeader],
  ['no header', dropHeader],
  ['many headers', addHeaders],
  ['long path', lengthenPath],
];

/** Replaces one value of a JSON body, a form or XML; bodies of other kinds get bytes. */
function changeValue(draft: Draft): void {
  const { random, text } = draft;
  if (text.length > VALUES_TEXT_MAX) {
    insertBytes(draft);
    return;
  }
  const json = parsed(text);
  if (json !== undefined) {
    const places = [...placesIn(json)];
    const place = places[random.between(0, Math.max(0, places.length - 1))];
    const value = random.chance(0.5) ? random.pick(TEXTS) : random.pick(JSON_JUNK);
    if (place === undefined) {
      draft.text = JSON.stringify(value);
    } else if (random.chance(0.2)) {
      delete place.holder[place.key];
      draft.text = JSON.stringify(json);
    } else {
      place.holder[place.key] = value;
      draft.text = JSON.stringify(json);
    }
    return;
  }
  if (text.startsWith('<')) {
    const values = [...text.matchAll(/>([^<>]+)</g)];
    const value = values[random.between(0, Math.max(0, values.length - 1))];
    if (value !== undefined) {
      const at = value.index + 1;
      draft.text =
        text.slice(0, at) + random.pick(TEXTS) + text.slice(at + (value[1] ?? '').length);
    }
    return;
  }
  if (text.includes('=')) {
    draft.text = changedPairs(text, random);
  } else {
    changeQuery(draft);
  }
}

function changeQuery(draft: Draft): void {
  const [path = '', query] = split(draft.target, '?');
  const { random } = draft;
  draft.target =
    query === ''
      ? `${path}?${random.pick(['x', 'cursor', 'limit', 'status', 'done', 'from', 'metadata[a]'])}=${encoded(random.pick(TEXTS))}`
      : `${path}?${changedPairs(query, random)}`;
}

/** `a=b&c=d` with one value changed, removed or doubled. */
function changedPairs(text: string, random: Random): string {
  const pairs = text.split('&');
  const index = random.between(0, pairs.length - 1);
  const [name] = split(pairs[index] ?? '', '=');
  const change = random.between(0, 3);
  if (change === 0) {
    pairs.splice(index, 1);
  } else if (change === 1) {
    pairs.push(`${name}=${encoded(random.pick(TEXTS))}`);
  } else {
    pairs[index] = `${name}=${encoded(random.pick(TEXTS))}`;
  }
  return pairs.join('&');
}

const PATH_TRICKS = [
  (segment: string) => `${segment}%00`,
  (segment: string) => `${segment}%`,
  (segment: string) => `${segment}%ff`,
  (segment: string) => `${segment}%ed%a0%80`,
  (segment: string) => `%2e%2e%2f${segment}`,
  (segment: string) => `${segment}%2f..`,
  (segment: string) => `/${segment}`,
  (segment: string) => `${segment};x=1`,
  (segment: string) => `%25${segment}`,
  (segment: string) => segment.toUpperCase(),
  (segment: string) => segment.slice(0, -1),
  (segment: string) => `${segment}\u00ff`,
  (segment: string) => `${segment}.`,
  () => '..',
  () => '%c0%ae',
  () => '',
] as const;

function changeSegment(draft: Draft): void {
  const { random } = draft;
  const [path = '', query] = split(draft.target, '?');
  const segments = path.split('/');
  // Late segments name things; the first ones only choose an area.
  const index = Math.max(1, segments.length - random.between(1, 3));
  const segment = segments[index] ?? '';
  const change = random.between(0, 2);
  if (change === 0) {
    segments[index] = encoded(random.pick(TEXTS).slice(0, 5_000));
  } else if (change === 1) {
    const theirs = draft.other().target.split('?')[0]?.split('/') ?? [];
    segments[index] = theirs[random.between(1, Math.max(1, theirs.length - 1))] ?? segment;
  } else {
    segments[index] = random.pick(PATH_TRICKS)(segment);
  }
  draft.target = segments.join('/') + (query === '' ? '' : `?${query}`);
}

function flipBits({ body, random }: Draft): void {
  for (
    let flips = random.between(1, 8);
    body !== null && body.length > 0 && flips > 0;
    flips -= 1
  ) {
    const at = random.between(0, body.length - 1);
    body[at] = (body[at] ?? 0) ^ (1 << random.between(0, 7));
  }
}

function truncate(draft: Draft): void {
  if (draft.body !== null) {
    draft.body = draft.body.subarray(0, draft.random.between(0, draft.body.length));
  }
}

function repeatPart(draft: Draft): void {
  const { body, random } = draft;
  if (body !== null) {
    const from = random.between(0, body.length);
    const part = body.subarray(from, random.between(from, body.length));
    const times = random.between(1, 30);
    draft.body = Buffer.concat([
      body.subarray(0, from),
      ...Array.from({ length: times }, () => part),
      body.subarray(from),
    ]);
  }
}

const BYTES = ['\0', '\xff\xfe', '\xed\xa0\x80', '\xc0\x80', '"', '<', '&', '{', '\\u0000', '\\'];

function insertBytes(draft: Draft): void {
  const { random } = draft;
  const body = draft.body ?? Buffer.alloc(0);
  const at = random.between(0, body.length);
  const bytes = Buffer.from(BYTES[random.between(0, BYTES.length - 1)] ?? '', 'latin1');
  draft.body = Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}

function takeBody(draft: Draft): void {
  const other = draft.other();
  draft.body = other.body && Buffer.from(other.body);
  const type = other.headers['content-type'];
  if (type !== undefined && draft.random.chance(0.5)) {
    draft.setHeader('content-type', type);
  }
}

function duplicateKey(draft: Draft): void {
  const { text, random } = draft;
  const json = text.length > VALUES_TEXT_MAX ? undefined : parsed(text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
    const keys = Object.keys(json);
    const key = keys[random.between(0, Math.max(0, keys.length - 1))] ?? '__proto__';
    const value = JSON.stringify(random.pick(TEXTS));
    draft.text = text.replace(
      /\}\s*$/,
      `${keys.length === 0 ? '' : ','}${JSON.stringify(key)}:${value}}`,
    );
  } else {
    draft.text = text.includes('=') ? `${text}&${text}` : text + text;
  }
}

function nest(draft: Draft): void {
  const depth = draft.random.pick([10, 1_000, 30_000]);
  const { text } = draft;
  draft.text = text.startsWith('<')
    ? text.replace(/>/, `>${'<a>'.repeat(depth)}`)
    : draft.random.pick([
        '['.repeat(depth) + ']'.repeat(depth),
        `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
        text.replace(/:\s*[^,{}]+/, `:${'['.repeat(depth)}${']'.repeat(depth)}`),
      ]);
}

function enlarge(draft: Draft): void {
  const { random, text } = draft;
  const size = random.pick([65_536, 65_537, MEGABYTE]);
  draft.text = random.pick([
    text.replace(/"[^"]*"\s*([,}])/, `"${'x'.repeat(size)}"$1`),
    text.replace(/=[^&]*/, `=${'x'.repeat(size)}`),
    text + ' '.repeat(size),
    text.replace(/:\s*\d+/, `:${'9'.repeat(size)}`),
  ]);
}

function chunk(draft: Draft): void {
  if (draft.body !== null) {
    draft.chunkBytes = draft.random.pick([1, 7, 1_024, 65_536]);
  }
}

function addHeader(draft: Draft): void {
  const [name, textFor] = draft.random.pick(HEADERS);
  draft.setHeader(name, textFor(draft.random));
}

function dropHeader(draft: Draft): void {
  const dropped = draft.headers[draft.random.between(0, Math.max(0, draft.headers.length - 1))];
  draft.headers = draft.headers.filter((header) => header !== dropped);
}

function addHeaders(draft: Draft): void {
  const count = draft.random.pick([10, 100, 500]);
  for (let index = 0; index < count; index += 1) {
    draft.headers.push([`x-fuzz-${index}`, 'x'.repeat(draft.random.between(0, 30))]);
  }
}

function lengthenPath(draft: Draft): void {
  const [path = '', query] = split(draft.target, '?');
  const length = draft.random.pick([300, 3_000, 12_000]);
  draft.target = draft.random.pick([
    `${path}${'a'.repeat(length)}?${query}`,
    `${path}${'/a'.repeat(length / 2)}`,
    `${path}?${query}&${'a=b&'.repeat(length / 4)}`,
    `${'/.'.repeat(length / 2)}${path}`,
  ]);
}

/** Percent-encoded, mostly as clients do. Lone surrogates become the bytes that UTF-8 forbids. */
function encoded(text: string): string {
  return [...text]
    .map((character) =>
      /[\ud800-\udfff]/.test(character) && character.length === 1
        ? '%ed%a0%80'
        : encodeURIComponent(character),
    )
    .join('');
}

function split(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, which is one of the kinds of bodies.
    return undefined;
  }
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function* placesIn(value: unknown): Generator<Place> {
  if (typeof value === 'object' && value !== null) {
    const holder = value as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      yield { holder, key };
      yield* placesIn(holder[key]);
    }
  }
}
