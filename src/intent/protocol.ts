import type { Actor } from '../domain/actor.ts';
import type {
  Anomaly,
  Attempt,
  Command,
  FailureReason,
  Intent,
  IntentTerms,
  Outcome,
  Rejection,
  Tenant,
} from '../domain/intent.ts';

/**
 * What travels between Workers and a PaymentIntent object. Answers are unions, never exceptions:
 * class identity does not survive RPC. Old and new code meet here during a rollout, so members are
 * added, then used, then removed, one release at a time.
 */

/** SHA-256 digests of the merchant's Idempotency-Key and of the raw request body. */
export interface IdempotencyClaim {
  readonly keyDigest: string;
  readonly bodyDigest: string;
}

export interface CreateRequest {
  readonly terms: IntentTerms;
  readonly idempotency: IdempotencyClaim | null;
  /** Express: the one attempt, started in the same commit. */
  readonly attempt: Extract<Command, { type: 'start_attempt' }>['attempt'] | null;
  /** How long the first answer may still be on its way; a repeat until then is told to wait. */
  readonly answerWithinMs: number;
  /** The response body when it is known already (hosted); stored for replays. */
  readonly answer: string | null;
}

/** What is known about an id that is taken. */
export type TakenResult =
  | { readonly type: 'duplicate' }
  /** Same idempotency key and body: the first answer again. */
  | { readonly type: 'replay'; readonly answer: string }
  /** Same idempotency key, another body. */
  | { readonly type: 'key_reused' }
  /** The first request is still being answered. */
  | { readonly type: 'in_flight'; readonly retryAfterSeconds: number }
  /** The first request died before it answered; the answer follows from the state. */
  | { readonly type: 'unanswered'; readonly intent: Intent };

export type CreateResult = { readonly type: 'created'; readonly intent: Intent } | TakenResult;

export type ProbeResult = { readonly type: 'free' } | TakenResult;

/** Health of an event on its way to the merchant. */
export type DeliveryStatus =
  | 'queued'
  | 'claimed'
  | 'waiting'
  | 'delivered'
  | 'dead'
  | 'superseded'
  | 'undeliverable'
  /** Not sent: the merchant's server has only failed for days. */
  | 'paused';

/** Has not arrived, and nothing more is going to happen by itself: what may be sent all at once. */
export const FAILED_DELIVERIES: readonly DeliveryStatus[] = ['dead', 'undeliverable', 'paused'];

/** One try in the delivery log. */
export interface DeliveryTry {
  readonly atMs: number;
  readonly durationMs: number;
  /** HTTP status, or null when no answer came. */
  readonly httpStatus: number | null;
  /** Why there was no answer, or why it was not sent at all. */
  readonly error: string | null;
  /** The first KiB of the answer. */
  readonly answerExcerpt: string;
}

export interface EventSummary {
  /** The intent's version that the event announces. */
  readonly sequence: number;
  readonly eventId: string;
  readonly type: string;
  readonly deliveryStatus: DeliveryStatus;
  readonly createdAtMs: number;
  /** When it is next tried, or null. */
  readonly dueAtMs: number | null;
  readonly tries: readonly DeliveryTry[];
}

/** One transition as history keeps it. */
export interface HistoryEntry {
  readonly version: number;
  readonly atMs: number;
  readonly command: Command['type'] | 'create';
  readonly fromStatus: string | null;
  readonly toStatus: string;
  /** Null for `create`. */
  readonly detail: HistoryDetail | null;
}

/**
 * Who caused a transition, and why: stored as JSON, so members are only ever added. A member is
 * missing where there is nothing to say.
 */
export interface HistoryDetail {
  readonly actor: Actor;
  /** The attempt that it is about, by its place among the payment's, from 0. */
  readonly attemptIndex?: number;
  readonly method?: Attempt['method'];
  /** Afterwards. */
  readonly attemptStatus?: Attempt['status'];
  readonly outcome?: Outcome['type'];
  readonly reason?: FailureReason;
  readonly receipt?: string;
  /** The rail's own code or state. */
  readonly providerCode?: string;
  /** Recorded by this transition. */
  readonly anomaly?: Anomaly['kind'];
  /** Paid after the merchant was told otherwise. */
  readonly late?: true;
  /** Of a manual resolution: who made it, and why; without phone numbers. */
  readonly operator?: string;
  readonly note?: string;
}

export type ReadResult =
  | { readonly type: 'found'; readonly intent: Intent }
  | { readonly type: 'not_found' };

/** The bodies that answer an express call: by what is known of its attempt after the commit. */
export interface ExpressAnswers {
  /** The attempt has failed for good: the only case in which a merchant may charge again. */
  readonly failed: string;
  readonly otherwise: string;
}

export type ExecuteResult =
  | {
      readonly type: 'done';
      readonly intent: Intent;
      readonly rejection: Rejection | null;
      /** The stored answer of the first request: the one that stayed, whoever asks. */
      readonly answer: string | null;
    }
  | { readonly type: 'not_found' };

/** What a webhook or retry message carries: where the event lives, nothing about the customer. */
export interface DeliveryMessage {
  readonly objectId: string;
  readonly sequence: number;
  /** For bounded concurrency per tenant without asking the object. */
  readonly tenant: Tenant;
}

export type ClaimResult =
  | { readonly type: 'claimed'; readonly delivery: ClaimedDelivery }
  /** Done, superseded, claimed by somebody else, or not due: nothing to do. */
  | { readonly type: 'refused' };

export interface ClaimedDelivery {
  /** Names this claim in the report; a report of an older claim is only logged. */
  readonly claimId: string;
  readonly eventId: string;
  readonly tenant: Tenant;
  /**
   * The request's callbackUrl, or null: then the merchant's setting applies (docs/decisions.md#19).
   */
  readonly callbackUrl: string | null;
  /** Our own origin, where no webhook may ever go. */
  readonly ownOrigin: string;
  /** The exact bytes of the request body, RSA signature included; the same over all tries. */
  readonly requestBody: string;
  /** Every try of the schedule was made: the event waits for its paused endpoint. */
  readonly isScheduleUsedUp: boolean;
}

export interface DeliveryReport {
  readonly sequence: number;
  readonly claimId: string;
  readonly outcome:
    | { readonly type: 'delivered' }
    /** A paused endpoint holds the event after its last try instead of losing it. */
    | {
        readonly type: 'failed';
        readonly retryAfterMs: number | null;
        readonly isEndpointPaused: boolean;
      }
    /** 410: the merchant wants no more of this. */
    | { readonly type: 'gone' }
    /** No callbackUrl and no setting: recorded, undelivered, can be sent later. */
    | { readonly type: 'no_destination' }
    /** Not sent: the endpoint is still paused, and another event probes it today. */
    | { readonly type: 'paused' }
    /** Not sent because of a failure of our own: uses no try of the merchant's schedule. */
    | { readonly type: 'not_sent' };
  /** Null when no request was sent and the merchant's log has nothing to show. */
  readonly log: DeliveryTry | null;
}

/**
 * What the object sends to the read model after every change that it shows, ordered by `version`.
 * Each message holds the whole payment, so that any message replaces all earlier ones.
 */
export interface ProjectionMessage {
  readonly objectId: string;
  readonly version: number;
  readonly row: ProjectionRow;
  /** What the payment is found by besides the row's columns. Only ever added to. */
  readonly searchKeys: readonly string[];
  readonly events: readonly ProjectedEvent[];
}

export interface ProjectionRow extends Tenant {
  readonly uuid: string;
  readonly number: number;
  readonly uniqueId: string;
  readonly kind: IntentTerms['kind'];
  readonly status: Intent['status'];
  readonly failureReason: Intent['failureReason'];
  readonly late: boolean;
  readonly amountMinor: number;
  /** Of `method`; 0 while there is none. */
  readonly commissionMinor: number;
  readonly commissionPaidByCustomer: boolean;
  readonly currency: string;
  readonly method: Attempt['method'] | null;
  /** What a human may have to look at: attempts without proof either way, and anomalies. */
  readonly unresolvedAttempts: number;
  readonly anomalies: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
}

/** An event's delivery as the read model shows it: no body, nothing of what the merchant answered. */
export interface ProjectedEvent {
  readonly eventId: string;
  readonly sequence: number;
  readonly type: string;
  /** Orders the states of this event's delivery. */
  readonly revision: number;
  readonly createdAtMs: number;
  /** Never `claimed`: that reads `queued`. */
  readonly deliveryStatus: DeliveryStatus;
  /** The next try; null unless it waits for one. */
  readonly dueAtMs: number | null;
  readonly tries: number;
  readonly lastTryAtMs: number | null;
  readonly lastHttpStatus: number | null;
  readonly lastError: string | null;
  readonly lastDurationMs: number | null;
  /** Of the payment's own callbackUrl; null: wherever the merchant's setting says. */
  readonly destinationOrigin: string | null;
}
