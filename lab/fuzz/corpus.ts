import fc from 'fast-check';
import type { ApiDocument } from '../harness/api-document.ts';
import { damagedBodies, type Overrides, validBodies } from '../harness/arbitrary-bodies.ts';
import type { Route } from './routes.ts';
import type { Stage } from './stage.ts';
import {
  type Credentials,
  emptied,
  PRODUCTION_KEY,
  SANDBOX_KEY,
  type Template,
} from './template.ts';

/** The generated bodies for each call that takes one: half valid, half damaged. */
const BODIES = 20;

/** What a generated text cannot hit by chance. */
const OVERRIDES: Overrides = {
  paymentIntentUniqueId: fc.constantFrom('fuzz-1', 'fuzz-2', 'fuzz-new'),
  callbackUrl: fc.constant(null),
  returnUrl: fc.webUrl(),
  'items[].image': fc.option(fc.webUrl()),
  'splitPayment[].bank': fc.constantFrom('CBE', 'no-bank'),
  phoneNumber: fc.constantFrom('0911223344', '+251711223344', null),
  url: fc.constant('https://shop.example.com/hook'),
  paused: fc.constant(false),
  since: fc.constant('2026-01-01T00:00:00Z'),
};

export interface Corpus {
  /** A request for each route, as users send it. */
  readonly samples: readonly Template[];
  readonly templates: readonly Template[];
}

/**
 * What the fuzzer sends: what users sent, bodies generated from the OpenAPI document, and a request
 * for each route that no user visited.
 */
export function corpusOf(
  stage: Stage,
  document: ApiDocument,
  routes: readonly Route[],
  seed: number,
): Corpus {
  const recorded = distinct(stage.recorder.recorded, stage.credentials);
  const generated = document.calls.flatMap((call) => generatedFor(call, document, seed));
  const all = [...recorded, ...generated];
  const samples = routes.map(
    (route) =>
      all.find((template) => routeOf(template, routes) === route) ??
      sampleOf(route, recorded, stage),
  );
  return { samples, templates: [...new Set([...samples, ...all])] };
}

/** One template of each kind: repeated polls differ in nothing. */
function distinct(recorded: readonly Template[], credentials: Credentials): readonly Template[] {
  const kinds = new Map<string, Template>();
  for (const { method, target, headers, body } of recorded) {
    const template: Template = {
      method,
      target,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, emptied(value, credentials)]),
      ),
      body: body && Buffer.from(emptied(body.toString('latin1'), credentials), 'latin1'),
    };
    kinds.set(JSON.stringify([method, target, String(template.body)]), template);
  }
  return [...kinds.values()];
}

function generatedFor(call: string, document: ApiDocument, seed: number): readonly Template[] {
  const schema = document.bodySchema(call);
  if (schema === null) {
    return [];
  }
  const [method = '', path = ''] = call.split(' ');
  const apikey = path.includes('/sandbox') ? SANDBOX_KEY : PRODUCTION_KEY;
  return [validBodies(schema, OVERRIDES), damagedBodies(schema, OVERRIDES)].flatMap((bodies) =>
    fc.sample(bodies, { seed, numRuns: BODIES / 2 }).map((body) => ({
      method,
      target: path.replace('{id}', 'fuzz-1'),
      headers: { apikey, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    })),
  );
}

/** The first route that fits, as in the routers. */
function routeOf({ method, target }: Template, routes: readonly Route[]): Route | undefined {
  const [path = ''] = target.split('?');
  return routes.find((route) => route.method === method && route.pattern.test(path));
}

/** A request for the route, as a user of its area would send it. */
function sampleOf(
  { method, path }: Route,
  recorded: readonly Template[],
  { merchantId }: Stage,
): Template {
  const area = path.split('/')[1] ?? '';
  const like =
    recorded.find((other) => other.method === method && other.target.startsWith(`/${area}`)) ??
    recorded.find((other) => other.target.startsWith(`/${area}`));
  const values: Readonly<Record<string, string>> = {
    environment: 'sandbox',
    merchantId,
    uniqueId: 'fuzz-1',
    method: 'CBE',
    currency: 'ETB',
    sequence: '1',
  };
  const target = (path || '/').replaceAll(/:(\w+)\+?/g, (_, name) => values[name] ?? 'fuzz-1');
  return { method, target, headers: like?.headers ?? {}, body: like?.body ?? null };
}
