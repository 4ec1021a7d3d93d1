import type { ApiError } from './api.ts';

/** How a call fails. */
export type Fault =
  /** The connection breaks before the call does anything. */
  | 'reset'
  /** The call takes effect, and the connection breaks before the answer. */
  | 'answer lost'
  /** Cloudflare's own error, as a page of HTML. */
  | 500
  | 429
  /** A login that has expired. */
  | 401
  /** A refusal that the local Cloudflare does not know. */
  | ApiError;

interface Plan {
  readonly fault: Fault;
  readonly matches: (name: string, count: number) => boolean;
  left: number;
}

/** Which calls fail. Wrangler tries most calls of a deployment three times. */
export class Faults {
  readonly #plans: Plan[] = [];
  #count = 0;

  /**
   * From now on, the nth call (from 1) or the next one of this name fails, and, with `times`, as many
   * calls that follow: any calls after an nth, and calls of the same name after a named one.
   */
  failCall(call: number | string, fault: Fault = 'reset', times = 1): void {
    this.#count = 0;
    const matches = (name: string, count: number) =>
      typeof call === 'number' ? count >= call : name === call;
    this.#plans.push({ fault, matches, left: times });
  }

  recover(): void {
    this.#plans.length = 0;
  }

  /** The fault of a call that has just come. */
  next(name: string): Fault | null {
    this.#count += 1;
    const plan = this.#plans.find(({ left, matches }) => left > 0 && matches(name, this.#count));
    if (plan === undefined) {
      return null;
    }
    plan.left -= 1;
    return plan.fault;
  }
}
