import { type Clock, never } from './clock.ts';
import { SimulatedFailure } from './faults.ts';

/** The bucket for backups in memory. It survives the loss of the gateway. */

interface StoredObject {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly customMetadata: Readonly<Record<string, string>>;
}

interface PutOptions {
  readonly customMetadata?: Readonly<Record<string, string>>;
  readonly onlyIf?: { readonly etagMatches: string };
}

interface ListOptions {
  readonly prefix: string;
  readonly startAfter?: string;
  readonly limit?: number;
  readonly delimiter?: string;
}

const PAGE = 1_000;

export class Bucket {
  readonly objects = new Map<string, StoredObject>();
  readonly #clock: Clock;
  #writes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As a binding of the Worker. */
  readonly binding = {
    put: (key: string, bytes: Uint8Array, options: PutOptions = {}) =>
      this.#call(() => this.#put(key, bytes, options)),
    get: (key: string) =>
      this.#call(() => {
        const object = this.objects.get(key);
        return object === undefined ? null : { ...object, arrayBuffer: async () => object.bytes };
      }),
    list: (options: ListOptions) => this.#call(() => this.#list(options)),
    delete: (keys: readonly string[] | string) =>
      this.#call(() => {
        for (const key of [keys].flat()) {
          this.objects.delete(key);
        }
      }),
  };

  #put(key: string, bytes: Uint8Array, { customMetadata = {}, onlyIf }: PutOptions) {
    if (onlyIf !== undefined && this.objects.get(key)?.etag !== onlyIf.etagMatches) {
      return null;
    }
    this.#writes += 1;
    this.#clock.note(`bucket ${key}`);
    const object = { key, bytes, customMetadata, etag: String(this.#writes) };
    this.objects.set(key, object);
    return object;
  }

  #list({ prefix, startAfter = '', limit = PAGE, delimiter }: ListOptions) {
    const all = [...this.objects.values()]
      .filter(({ key }) => key.startsWith(prefix) && key > startAfter)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const folders = all.map(({ key }) => prefix + key.slice(prefix.length).split('/')[0]);
    return delimiter === undefined
      ? { objects: all.slice(0, limit), delimitedPrefixes: [] }
      : { objects: [], delimitedPrefixes: [...new Set(folders)].map((name) => name + delimiter) };
  }

  /** One call with its faults. */
  #call<T>(act: () => T): Promise<T> {
    const clock = this.#clock;
    if (!clock.isCallPossible()) {
      return never();
    }
    const isDown = clock.strikes('bucket_fails');
    return clock.call(clock.latencyMs(), () => {
      if (isDown) {
        throw new SimulatedFailure('bucket unreachable');
      }
      const result = act();
      if (clock.strikes('bucket_answer_lost')) {
        throw new SimulatedFailure('answer of the bucket lost');
      }
      return result;
    });
  }
}
