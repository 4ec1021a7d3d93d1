import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

interface BackOfficeConfig {
  readonly vars: Readonly<Record<string, string>>;
  readonly ratelimits: readonly {
    readonly name: string;
    readonly namespace_id: string;
    readonly simple: { readonly limit: number; readonly period: 10 | 60 };
  }[];
}

/** The back office's own bindings, for tests that run both planes in one Worker. */
export function backOfficeBindings() {
  const text = readFileSync('back-office/wrangler.toml', 'utf8');
  const { vars, ratelimits } = parse(text) as unknown as BackOfficeConfig;
  return {
    vars,
    ratelimits: Object.fromEntries(ratelimits.map(({ name, ...limit }) => [name, limit])),
    d1Databases: { BACK_OFFICE_DB: 'kefel-back-office' },
  };
}
