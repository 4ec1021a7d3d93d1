import type { Environment } from '../../kit/tenant.ts';
import type { Attempt, Outcome } from '../domain/attempt.ts';
import type { Command } from '../domain/command.ts';
import type { EventType, Intent } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import type { Refund, RefundOutcome } from '../domain/refund.ts';
import type { ProjectionMessage } from './book-message.ts';
import type { ExecuteResult, ExpressFacts } from './protocol.ts';

/**
 * What the object needs from the rest of Kefel. `src/connected-objects.ts` passes it in, so that this
 * folder imports no adapter, page or webhook code.
 */
export interface Ports {
  /** The wire form of events. */
  readonly events: {
    /**
     * The text of an event. Synchronous, because a commit calls it. `refund`: which it is about.
     * `receiptPath`: of the payment's receipt.
     */
    body(intent: Intent, type: EventType, refund: Refund | null, receiptPath: string): string;
    /** The path of a payment's receipt. Asynchronous, because it takes a MAC. */
    receiptPath(env: Env, objectName: string): Promise<string>;
    /** The signature over that text, in base64. */
    sign(env: Env, environment: Environment, body: string): Promise<string>;
    /** The exact request body that merchants receive. */
    requestBody(event: {
      readonly event: EventType;
      readonly environment: Environment;
      readonly uniqueId: string;
      readonly signature: string;
      readonly body: string;
    }): string;
  };
  /** The text of an express call's answer. Synchronous, because a commit calls it. */
  readonly expressAnswer: (intent: Intent, facts: ExpressFacts) => string;
  /** What the object does for an attempt in flight. */
  readonly attempts: {
    /**
     * Claims a free start with `execute`, calls the provider once, and stores its answer when the
     * customer has acted. Never throws.
     */
    start(
      env: Env,
      intent: Intent,
      attempt: Attempt,
      execute: (command: Command) => ExecuteResult,
    ): Promise<void>;
    /** Queries the provider for the outcome. Null when its rail is no longer configured. */
    query(env: Env, intent: Intent, attempt: Attempt): Promise<Outcome | null>;
  };
  /** What the alarm does for a refund. */
  readonly refunds: {
    /** Asks the provider to return the money. At most one call for each refund, ever. */
    readonly start: RefundCall;
    /** Sends it again with the same number. At most one call for each request of the operator. */
    readonly repeat: RefundCall;
    /** Queries the provider for the outcome. */
    readonly query: RefundCall;
  };
  /** What the operator must hear of although nothing keeps it. Never throws. */
  readonly alerts: {
    /** A queue did not take a message. The payment's alarm sends it again. */
    queueFails(env: Env, queue: string): Promise<void>;
    /** Nothing has claimed the start of an attempt for a while. */
    startWaits(env: Env, method: Method): Promise<void>;
  };
  /** The merchant's book, which lists, searches and sums up the payments. */
  readonly book: {
    /** True when the book has stored all of the message. False: it must be sent again. */
    apply(env: Env, message: ProjectionMessage): Promise<boolean>;
  };
}

export type RefundCall = (env: Env, intent: Intent, refund: Refund) => Promise<RefundOutcome>;
