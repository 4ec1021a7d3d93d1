import type { Environment } from '../../kit/tenant.ts';
import type { Method } from '../domain/method.ts';
import type { KnownOutage } from '../domain/method-outage.ts';
import type { SubjectId } from './subjects.ts';

/**
 * What the parts of the gateway tell the object of the alerts. No message names a person or a phone
 * number: merchants go by their ids.
 */

/** What now needs a person, as one source knows it. */
export interface Standing {
  readonly subject: SubjectId;
  /** How many things; 0 is the same as no standing. */
  readonly count: number;
  /** When the oldest of them began to wait. */
  readonly sinceAtMs: number;
  /** What is concerned, besides the source: a method, a queue, a secret's name; null: nothing. */
  readonly detail: string | null;
}

/**
 * Who reports. Each report replaces all standings of its source, so that a repeated or lost report
 * does no harm. `book/production/merchant/0` is a volume of a merchant's book.
 */
export type Source =
  | `book/${Environment}/${string}/${number}`
  /** The provider's files of a method in production. */
  | `files/${Method}`
  | 'dead_letters'
  | 'self_check'
  /** What the object looks at itself: see looks.ts. */
  | 'look/database'
  | 'look/daily_runs'
  | 'look/queues'
  | 'look/keys'
  | 'look/methods'
  | 'look/events';

/** Subjects that are counted as they happen, and that are over when nothing more happens. */
export type EventSubject = Extract<
  SubjectId,
  'starts_waiting' | 'messages_waiting' | 'sign_ins_refused'
>;

/** Attempts of one method that have ended since the source's last report. */
export interface MethodTally {
  readonly environment: Environment;
  readonly method: Method;
  readonly succeeded: number;
  /** Failures that customers cause: declined, no money, wrong PIN, given up, window over. */
  readonly refused: number;
  /** Attempts that did not reach the provider, or that it refused because of the gateway. */
  readonly unreached: number;
  /** Those of them that certainly never reached the provider. Older books do not report it. */
  readonly neverReached?: number;
  /** When the first of these was counted; null: none. */
  readonly neverReachedFromMs?: number | null;
  /** When the last success was counted; null: none. */
  readonly succeededAtMs?: number | null;
  /** Whose payments these were. */
  readonly merchantId?: string;
}

/** What the object of the alerts tells isolates of a method in production. */
export interface ToldOutage extends KnownOutage {
  readonly method: Method;
}
