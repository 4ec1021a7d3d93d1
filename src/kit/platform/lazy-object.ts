import { DurableObject } from 'cloudflare:workers';
import type { ObjectRpc } from './object-call.ts';

/** The methods that callers may call. `alarm` is the platform's. */
type MethodsOf<Target> = {
  readonly [Name in keyof Target as Target[Name] extends (...args: never) => unknown
    ? Name
    : never]: true;
};

interface Loading<Target> {
  /** Runs before each call, and may refuse it. */
  readonly check?: (env: Env) => Promise<void>;
  /** Imports the object's code and makes it. */
  readonly load: (ctx: DurableObjectState, env: Env) => Promise<Target>;
  /** All of them: a new one does not compile without a row. */
  readonly methods: MethodsOf<Target>;
}

type Forwarding<Target> = DurableObject<Env> & ObjectRpc<Target> & { alarm(): Promise<void> };

interface LazyClass<Target> {
  new (ctx: DurableObjectState, env: Env): Forwarding<Target>;
  readonly prototype: Forwarding<Target>;
}

/**
 * The class of an object whose code the isolate loads with the first call, so that no payment waits
 * for it. Its methods lead to those of `Target`, which say what they do.
 */
export function lazyObject<Target extends object>({
  check,
  load,
  methods,
}: Loading<Target>): LazyClass<Target> {
  class LazyObject extends DurableObject<Env> {
    static {
      for (const name of Object.keys(methods) as (keyof Target)[]) {
        const value = async function (this: LazyObject, ...args: readonly unknown[]) {
          const target = await this.#open();
          return Reflect.apply(target[name] as (...given: unknown[]) => unknown, target, args);
        };
        Object.defineProperty(LazyObject.prototype, name, {
          value,
          writable: true,
          configurable: true,
        });
      }
    }

    #target: Target | null = null;

    async #open(): Promise<Target> {
      await check?.(this.env);
      // Two first calls may load at the same time; both use what came first.
      const loaded = this.#target ?? (await load(this.ctx, this.env));
      this.#target ??= loaded;
      return this.#target;
    }
  }
  return LazyObject as unknown as LazyClass<Target>;
}
