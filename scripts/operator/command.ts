/** One request to the operator's API: GET without a body, else POST. Paths are below /operator/v1. */
export interface ApiRequest {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What was given on the command line, by the command's own names. */
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

  /** A positional; the parser has made sure that it is there. */
  at(name: string): string {
    return this.#positionals.get(name)?.[0] ?? '';
  }

  /** The same as a segment of a path. */
  segment(name: string): string {
    return encodeURIComponent(this.at(name));
  }

  /** All values of the positional that may be repeated. */
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

export interface Option {
  /** What stands for its value in the help; null for a switch. */
  readonly value: string | null;
  readonly about: string;
  readonly isRequired?: true;
  readonly isRepeatable?: true;
}

/** A noun and a verb of `npm run operator`. */
export interface Command {
  readonly name: string;
  readonly about: string;
  /** Names of what comes without an option; `…` behind the last: one or more. */
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** Throws UsageError on values that cannot be. */
  readonly request: (given: Given) => ApiRequest;
  /** For people: the lines that tell what the answer's content says. */
  readonly lines: (content: never) => readonly string[];
  /** Set on lists: where an answer says how to go on, until it says null. */
  readonly pages?: 'nextCursor' | 'nextUuid';
}

/** The command line cannot be carried out as it is written. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
