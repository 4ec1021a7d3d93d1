import type { ApiRequest } from './command.ts';

/** A GET request with the options that were given. */
export function query(
  path: string,
  options: Readonly<Record<string, string | undefined>>,
): ApiRequest {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return { path: given.length === 0 ? path : `${path}?${new URLSearchParams(given)}` };
}
