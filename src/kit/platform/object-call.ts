import type { DurableObject } from 'cloudflare:workers';
import { Unavailable } from './unavailable.ts';

/** The object was unreachable or overloaded. The call may or may not have been executed. */
export class ObjectUnavailable extends Unavailable {
  override readonly name = 'ObjectUnavailable';
}

type Callable = (...args: never[]) => unknown;

/**
 * The methods of an object as callers see them: they return plain values. The generated stub type
 * adds disposable proxies, which only functions and streams need.
 */
export type ObjectRpc<Target> = {
  [Name in Exclude<keyof Target, keyof DurableObject>]: Target[Name] extends Callable
    ? (...args: Parameters<Target[Name]>) => Promise<Awaited<ReturnType<Target[Name]>>>
    : never;
};

const CALLS_MAX = 3;
/** A reset object runs again at once, on its new code or with free memory, or fails the same way. */
const CALLS_AFTER_RESET_MAX = 2;
const CALL_BACK_OFF_MS = 50;

/**
 * The texts of errors that the platform throws without `retryable`, when it replaces an object or
 * takes its storage away
 * (https://developers.cloudflare.com/durable-objects/observability/troubleshooting/).
 */
const RESET =
  /code (?:was|has been) updated|no longer active|caused object to be reset|limit and was reset|out of memory|moved to a different machine|^internal error\b/i;

/**
 * Calls an object, and retries after an error of the platform: every method must be safe to repeat.
 * `newStub` is called for each try, because a stub that has thrown stays broken.
 */
export async function callObject<Target, Result>(
  newStub: () => unknown,
  method: (stub: ObjectRpc<Target>) => Promise<Result>,
): Promise<Result> {
  for (let calls = 1; ; calls += 1) {
    try {
      return await method(newStub() as ObjectRpc<Target>);
    } catch (error) {
      if (hasMark(error, 'overloaded')) {
        throw new ObjectUnavailable('overloaded', { cause: error });
      }
      const isRetryable = hasMark(error, 'retryable');
      if (!isRetryable && !isReset(error)) {
        throw error;
      }
      if (calls >= (isRetryable ? CALLS_MAX : CALLS_AFTER_RESET_MAX)) {
        throw new ObjectUnavailable('unreachable', { cause: error });
      }
      await scheduler.wait(CALL_BACK_OFF_MS * 2 ** calls * Math.random());
    }
  }
}

/**
 * Calls an object by the names of its methods, each with the retries of `callObject`. Without `then`, so
 * that `await` does not take it for a promise.
 */
export function objectClient<Target>(newStub: () => unknown): ObjectRpc<Target> {
  const get = (_none: object, name: string | symbol) =>
    name === 'then' || typeof name === 'symbol'
      ? undefined
      : (...args: never[]) =>
          callObject<Target, unknown>(newStub, (stub) =>
            Reflect.apply(stub[name as keyof ObjectRpc<Target>], stub, args),
          );
  return new Proxy({}, { get }) as ObjectRpc<Target>;
}

function isReset(error: unknown): boolean {
  const isMarked = hasMark(error, 'durableObjectReset');
  return isMarked || (error instanceof Error && RESET.test(error.message));
}

function hasMark(error: unknown, mark: 'overloaded' | 'retryable' | 'durableObjectReset'): boolean {
  return error instanceof Error && Reflect.get(error, mark) === true;
}
