import type { Option } from '../../back-office/operator/actions/action.ts';
import type { Shown } from './text.ts';

/** The API's origin and the headers that authenticate the operator. */
export interface Gateway {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One request to the operator's API: GET without a body, else POST. Paths are below /operator/v1. */
export interface ApiRequest {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The positionals and options of a command line, by the names that the command gives them. */
export class Given {
  readonly #positionals: ReadonlyMap<string, readonly string[]>;
  readonly #options: ReadonlyMap<string, readonly string[]>;

  constructor(
    positionals: ReadonlyMap<string, readonly string[]>,
    options: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#positionals = positionals;
    this.#options = options;
  }

  /** A positional. The parser has checked that it is present. */
  at(name: string): string {
    return this.#positionals.get(name)?.[0] ?? '';
  }

  /** All values of a positional that can be repeated. */
  rest(name: string): readonly string[] {
    return this.#positionals.get(name) ?? [];
  }

  option(name: string): string | undefined {
    return this.#options.get(name)?.[0];
  }

  options(name: string): readonly string[] {
    return this.#options.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#options.has(name);
  }
}

/** A noun and a verb of `npm run operator`. */
export interface Command {
  readonly name: string;
  readonly about: string;
  /** Names of the positionals. `…` after the last one: one or more values. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** Throws UsageError on invalid values. */
  readonly request: (given: Given) => ApiRequest;
  /** What it prints of the content of the response, of a page what it prints of its items. */
  readonly shown: Shown;
  /** The exit code after an answer that may be bad news; absent: 0. Of several pages, the highest counts. */
  readonly exitCode?: ((content: never) => number) | undefined;
  /** Set on lists: the field of the response that leads to the next page; null on the last. */
  readonly pages?: 'nextCursor' | 'next' | undefined;
  /** Replaces the request and its further pages. */
  readonly run?: (
    gateway: Gateway,
    given: Given,
    environment: NodeJS.ProcessEnv,
  ) => AsyncGenerator<unknown>;
  /** Replaces them where the command needs no gateway; null where it does. */
  readonly runHere?: (
    given: Given,
    deployment: string | undefined,
  ) => AsyncGenerator<unknown> | null;
}

/** Exit code of a command that did its work and found something that needs a person. */
export const EXIT_FOUND = 1;

/** The command did its work and found what its message says. */
export class FoundError extends Error {
  override readonly name = 'FoundError';
}

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
