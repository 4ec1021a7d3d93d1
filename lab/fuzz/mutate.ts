import { placesIn } from '../harness/arbitrary-bodies.ts';
import type { Random } from '../harness/random.ts';
import type { Template } from './template.ts';
import { parsedJson, type WireRequest } from './wire.ts';

/** Turns requests that users send into requests that no client should send. */

/** The mark by which the oracle finds text that a page does not escape. */
export const MARKUP = '<fuzz"\'>';

/** Wrangler's local proxies handle each chunk by itself: more only slow the run down. */
const CHUNKS_MAX = 1_000;
/** Beyond it, a body was enlarged or nested before: neither has values worth a walk. */
const VALUES_TEXT_MAX = 8_192;
const HEADER_LENGTH_MAX = 5_000;

/** Texts that break parsers, queries, pages, logs and files. */
const TEXTS: readonly string[] = [
  ['', ' ', '%', '%00', '\0', '\ufeff', '\u202e', '\ud800', 'a\u0301'.repeat(300)],
  ['0', '1', '-1', '1.005', '٣', 'NaN', '1e400', '0x10', '9007199254740993', '9'.repeat(32)],
  ['null', '__proto__', 'constructor', 'toString', 'ETB', 'sandbox', '+251911223344'],
  [MARKUP, `'">${MARKUP}`, "' OR 1=1 --", '{{7*7}}', '=1+1', '\r\nset-cookie: a=b'],
  ['../../etc/passwd', '..\\..', 'javascript:alert(1)', 'http://127.0.0.1/'],
  ['http://[::1]:80/x', 'https://a@b.example/', '2026-02-30T00:00:00Z', '0000-00-00'],
  ['😀'.repeat(200), 'x'.repeat(256), 'x'.repeat(70_000)],
].flat();

const JSON_JUNK: readonly unknown[] = [
  ...[null, true, 0, -0.0, -1, 0.001, 1e21, 2 ** 53, Number.MAX_VALUE, ''],
  ...[[], {}, [[[]]], [null], { a: { b: { c: [] } } }],
  Array.from({ length: 200 }, (_, index) => index),
];

const METHODS: readonly string[] = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT'],
  ...['MKCOL', 'get', 'BREW', 'G\u00cbT', 'X'.repeat(300)],
];

const HEADERS: readonly (readonly [name: string, texts: readonly string[]])[] = [
  [
    'content-type',
    [
      ...['application/json; charset=utf-16', 'application/json;charset="', 'text/plain'],
      ...['text/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      ...['multipart/form-data; boundary=', 'multipart/form-data; boundary=x', '/', ';'],
      ...['application/json, text/html', '\u00ff\u00fe', 'x'.repeat(5_000)],
    ],
  ],
  ['content-encoding', ['gzip', 'br', 'identity', 'x', 'gzip, gzip']],
  ['accept-language', ['am', 'q', '*', 'en;q=x', 'om,'.repeat(2_000)]],
  ['idempotency-key', TEXTS],
  ['apikey', ['kfl_test_', 'kfl_live_x', 'x'.repeat(5_000), '\u00ff']],
  ['authorization', ['Basic', 'Basic %%%', 'Bearer', 'Basic Og==', 'x y']],
  ['cookie', ['__Host-kefel_session=x', ';;;=', 'a=b; '.repeat(3_000)]],
  ['origin', ['null', 'https://evil.example', '', 'x']],
  ['sec-fetch-site', ['cross-site', 'same-site', 'none', 'x']],
  ['last-event-id', TEXTS],
  ['if-none-match', TEXTS],
  ['range', ['bytes=0-1,5-']],
  ['cf-ray', TEXTS],
  ['cf-connecting-ip', ['::1', 'x', '256.1.1.1', '']],
  ['x-forwarded-for', TEXTS],
  ['accept', ['text/event-stream', '*/*;q=x', 'application/json']],
  ['expect', ['x']],
];

const PARAMETERS = ['x', 'cursor', 'limit', 'status', 'done', 'from', 'metadata[a]'] as const;

export interface Mutated {
  readonly request: WireRequest;
  /** What was done to the template. */
  readonly mutations: readonly string[];
}

/** A request under mutation. */
interface Draft {
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer;
  chunkBytes: number | null;
  readonly random: Random;
  readonly others: readonly Template[];
}

/** One to three mutations of a template; one request in ten stays as it is. */
export function mutated(template: Template, others: readonly Template[], random: Random): Mutated {
  const headers = Object.entries(template.headers);
  const body = Buffer.from(template.body ?? '');
  const { method, target } = template;
  const draft: Draft = { method, target, headers, body, chunkBytes: null, random, others };
  const count = random.chance(0.1) ? 0 : random.between(1, 3);
  const mutations = Array.from({ length: count }, () => {
    const name = random.weighted(MUTATION_NAMES, (each) => WEIGHTS[each] ?? 1);
    MUTATIONS[name](draft);
    return name;
  });
  const { length } = draft.body;
  const chunkBytes = length === 0 ? null : draft.chunkBytes;
  return {
    request: {
      method: draft.method,
      target: draft.target,
      headers: draft.headers,
      body: length === 0 && template.body === null ? null : draft.body,
      chunkBytes: chunkBytes && Math.max(chunkBytes, Math.ceil(length / CHUNKS_MAX)),
    },
    mutations,
  };
}

const MUTATIONS = {
  value: changeValue,
  query: (draft: Draft) => {
    const [path, query] = divided(draft.target, '?');
    const { random } = draft;
    const added = `${random.pick(PARAMETERS)}=${encoded(random.pick(TEXTS))}`;
    draft.target = `${path}?${query === '' ? added : changedPairs(query, random)}`;
  },
  segment: changeSegment,
  bytes: changeBytes,
  'body of another': (draft: Draft) => {
    const { headers, body } = draft.random.pick(draft.others);
    draft.body = Buffer.from(body ?? '');
    const type = headers['content-type'];
    if (type !== undefined && draft.random.chance(0.5)) {
      setHeader(draft, 'content-type', type);
    }
  },
  'duplicate a key': (draft: Draft) => {
    const text = draft.body.toString();
    const key = /"[^"]*"(?=:)/.exec(text)?.[0] ?? '"__proto__"';
    const entry = `,${key}:${JSON.stringify(draft.random.pick(TEXTS))}}`;
    draft.body = Buffer.from(
      text.endsWith('}')
        ? text.slice(0, -1) + entry
        : `${text}${text.includes('=') ? '&' : ''}${text}`,
    );
  },
  nest: (draft: Draft) => {
    const depth = draft.random.pick([10, 1_000, 30_000]);
    const lists = '['.repeat(depth) + ']'.repeat(depth);
    change(draft, (text) => [
      text.startsWith('<') ? text.replace(/>/, `>${'<a>'.repeat(depth)}`) : lists,
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      text.replace(/:\s*[^,{}]+/, `:${lists}`),
    ]);
  },
  huge: (draft: Draft) => {
    const size = draft.random.pick([65_536, 65_537, 1_048_576]);
    change(draft, (text) => [
      text.replace(/"[^"]*"\s*([,}])/, `"${'x'.repeat(size)}"$1`),
      text.replace(/=[^&]*/, `=${'x'.repeat(size)}`),
      text + ' '.repeat(size),
      text.replace(/:\s*\d+/, `:${'9'.repeat(size)}`),
    ]);
  },
  chunks: (draft: Draft) => {
    draft.chunkBytes = draft.random.pick([1, 7, 1_024, 65_536]);
  },
  method: (draft: Draft) => {
    draft.method = draft.random.pick(METHODS);
  },
  header: (draft: Draft) => {
    const [name, texts] = draft.random.pick(HEADERS);
    // A header's value ends its line.
    const text = Buffer.from(draft.random.pick(texts)).toString('latin1');
    setHeader(draft, name, text.slice(0, HEADER_LENGTH_MAX).replaceAll(/[\r\n\0]/g, '_'));
  },
  'no header': (draft: Draft) => {
    draft.headers.splice(draft.random.between(0, draft.headers.length), 1);
  },
  'many headers': (draft: Draft) => {
    for (let index = draft.random.pick([10, 100, 500]); index > 0; index -= 1) {
      draft.headers.push([`x-fuzz-${index}`, 'x'.repeat(draft.random.between(0, 30))]);
    }
  },
  'long path': (draft: Draft) => {
    const [path, query] = divided(draft.target, '?');
    const length = draft.random.pick([300, 3_000, 12_000]);
    draft.target = draft.random.pick([
      `${path}${'a'.repeat(length)}?${query}`,
      `${path}${'/a'.repeat(length / 2)}`,
      `${path}?${query}&${'a=b&'.repeat(length / 4)}`,
      `${'/.'.repeat(length / 2)}${path}`,
    ]);
  },
} satisfies Record<string, (draft: Draft) => void>;

type MutationName = keyof typeof MUTATIONS;

const MUTATION_NAMES = Object.keys(MUTATIONS) as MutationName[];
/** How many times as often as the others these come. */
const WEIGHTS: Readonly<Partial<Record<MutationName, number>>> = {
  value: 4,
  bytes: 4,
  query: 2,
  segment: 2,
  header: 2,
};

/** Replaces one value of a JSON body, a form or XML; bodies of other kinds get bytes. */
function changeValue(draft: Draft): void {
  const { random } = draft;
  const text = draft.body.toString();
  const json = text.length > VALUES_TEXT_MAX ? undefined : parsedJson(text);
  if (text.length > VALUES_TEXT_MAX) {
    changeBytes(draft);
  } else if (json !== undefined) {
    const places = [...placesIn(json)];
    const value = random.chance(0.5) ? random.pick(TEXTS) : random.pick(JSON_JUNK);
    if (places.length === 0) {
      draft.body = Buffer.from(JSON.stringify(value));
      return;
    }
    const { holder, key } = random.pick(places);
    holder[key] = random.chance(0.2) ? undefined : value;
    draft.body = Buffer.from(JSON.stringify(json));
  } else if (text.startsWith('<')) {
    const { index, 0: value } = random.pick([...text.matchAll(/(?<=>)[^<>]+|$/g)]);
    draft.body = Buffer.from(
      text.slice(0, index) + random.pick(TEXTS) + text.slice(index + value.length),
    );
  } else if (text.includes('=')) {
    draft.body = Buffer.from(changedPairs(text, random));
  } else {
    MUTATIONS.query(draft);
  }
}

/** `a=b&c=d` with one value changed, removed or doubled. */
function changedPairs(text: string, random: Random): string {
  const pairs = text.split('&');
  const index = random.between(0, pairs.length - 1);
  const pair = `${divided(pairs[index] ?? '', '=')[0]}=${encoded(random.pick(TEXTS))}`;
  return random
    .pick([pairs.toSpliced(index, 1), [...pairs, pair], pairs.with(index, pair)])
    .join('&');
}

/** What stands in place of a segment, which `_` names. */
const PATH_TRICKS = [
  ...['_%00', '_%', '_%ff', '_%ed%a0%80', '%2e%2e%2f_', '_%2f..', '/_', '_;x=1', '%25_'],
  ...['_\u00ff', '_.', '..', '%c0%ae', ''],
] as const;

function changeSegment(draft: Draft): void {
  const { random } = draft;
  const [path, query] = divided(draft.target, '?');
  const segments = path.split('/');
  // Late segments name things; the first ones only choose an area.
  const index = Math.max(1, segments.length - random.between(1, 3));
  const segment = segments[index] ?? '';
  const theirs = divided(random.pick(draft.others).target, '?')[0].split('/');
  segments[index] = random.pick([
    encoded(random.pick(TEXTS).slice(0, 5_000)),
    random.pick(theirs),
    random.pick([segment.toUpperCase(), segment.slice(0, -1)]),
    random.pick(PATH_TRICKS).replace('_', () => segment),
  ]);
  draft.target = segments.join('/') + (query === '' ? '' : `?${query}`);
}

const BYTES = ['\0', '\xff\xfe', '\xed\xa0\x80', '\xc0\x80', '"', '<', '&', '{', '\\u0000', '\\'];

/** Cuts, repeats, flips or replaces a part of the body. */
function changeBytes(draft: Draft): void {
  const { body, random } = draft;
  const from = random.between(0, body.length);
  const to = random.pick([from, random.between(from, body.length), body.length]);
  const part = body.subarray(from, to);
  const flipped = part.map((byte) =>
    random.chance(0.05) ? byte ^ (1 << random.between(0, 7)) : byte,
  );
  const replacement = random.pick([
    Buffer.alloc(0),
    Buffer.concat(Array.from({ length: random.between(2, 30) }, () => part)),
    flipped,
    Buffer.from(random.pick(BYTES), 'latin1'),
  ]);
  draft.body = Buffer.concat([body.subarray(0, from), replacement, body.subarray(to)]);
}

/** Replaces the body by one of these texts. */
function change(draft: Draft, texts: (text: string) => readonly string[]): void {
  draft.body = Buffer.from(draft.random.pick(texts(draft.body.toString())));
}

function setHeader(draft: Draft, name: string, value: string): void {
  draft.headers = [...draft.headers.filter(([other]) => other !== name), [name, value]];
}

/** Percent-encoded, mostly as clients do. Lone surrogates become the bytes that UTF-8 forbids. */
function encoded(text: string): string {
  return text
    .split(/([\ud800-\udfff])/u)
    .map((part) => (/^[\ud800-\udfff]$/u.test(part) ? '%ed%a0%80' : encodeURIComponent(part)))
    .join('');
}

function divided(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
