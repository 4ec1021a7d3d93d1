import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { SecretName } from '../../../scripts/project/secrets.ts';
import type { StandIn } from '../../../scripts/stand-ins/stand-in.ts';
import { until } from '../../harness/until.ts';
import type { System } from '../system.ts';
import type { MerchantHooks } from './merchant-hooks.ts';

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What the scenes of a run share. */
export interface Play {
  readonly system: System;
  readonly secrets: Readonly<Record<SecretName, string>>;
  readonly hooks: MerchantHooks;
  readonly rails: Readonly<Record<'E_BIRR' | 'CBE', StandIn>>;
  /** The merchant of this run. Runs on the same storage have merchants of their own. */
  readonly merchantId: string;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Follows no redirect. */
export async function send({ system }: Play, path: string, sent: Sent = {}): Promise<Answer> {
  const url = path.startsWith('http') ? path : system.origin + path;
  const response = await fetch(url, { redirect: 'manual', ...sent });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export interface FormSent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** Posts a form as a browser does from a page of the gateway. */
export async function postForm(
  play: Play,
  path: string,
  fields: Readonly<Record<string, string>>,
  { headers = {}, status = 303 }: FormSent = {},
): Promise<Answer> {
  const answer = await send(play, path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
  equal(answer.status, status, `POST ${path} answered ${answer.status}: ${shortened(answer)}`);
  return answer;
}

/** The content of a JSON answer, which must have this status. */
export function contentOf<Content>(path: string, answer: Answer, status = 200): Content {
  equal(answer.status, status, `${path} answered ${answer.status}: ${shortened(answer)}`);
  return JSON.parse(answer.text).content;
}

function shortened({ text }: Answer): string {
  return text
    .replace(/<style.*?<\/style>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, 2500);
}

/** Checks that `actual` has the members of `expected`, and lists the same items in the same order. */
export function includes(actual: unknown, expected: unknown, path = 'content'): void {
  if (typeof expected !== 'object' || expected === null) {
    equal(
      actual,
      expected,
      `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
    );
    return;
  }
  if (expected instanceof RegExp) {
    match(String(actual), expected);
    return;
  }
  ok(typeof actual === 'object' && actual !== null, `${path} is ${JSON.stringify(actual)}`);
  if (Array.isArray(expected)) {
    equal(Object.keys(actual).length, expected.length, `${path}: ${JSON.stringify(actual)}`);
  }
  for (const [name, value] of Object.entries(expected)) {
    includes(Reflect.get(actual, name), value, `${path}.${name}`);
  }
}

/** On a busy machine, a deployment must not fail for a slow one. */
const WAIT_MS = 60_000;

/** Waits until a read has the members of `expected`. Throws with the last difference. */
export async function eventually<Value>(
  what: string,
  read: () => Promise<Value>,
  expected: unknown,
): Promise<Value> {
  let difference: unknown = null;
  try {
    return (
      await until(
        what,
        async () => {
          const value = await read();
          try {
            includes(value, expected);
            return { value };
          } catch (error) {
            difference = error;
            return null;
          }
        },
        { everyMs: 25, forMs: WAIT_MS },
      )
    ).value;
  } catch (error) {
    throw difference instanceof Error
      ? new Error(`${what}: ${difference.message}`, { cause: error })
      : error;
  }
}

/** Checks that a page shows all of these texts. */
export function shows(path: string, { status, text }: Answer, texts: readonly string[]): string {
  equal(
    status,
    200,
    `${path} answered ${status}: ${shortened({ status, text, headers: new Headers() })}`,
  );
  const missing = texts.filter((one) => !text.includes(one));
  deepEqual(
    missing,
    [],
    `${path} shows no ${missing.join(', ')} but ${shortened({ status, text, headers: new Headers() })}`,
  );
  return text;
}

/** The hidden fields of a page's forms, as a browser sends them. */
export function hiddenFields(page: string): Readonly<Record<string, string>> {
  const inputs = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}
