import type { NameProof } from '../../kit/name-proof.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { AppParameters } from '../domain/app-form.ts';
import type { Attempt, FailureReason, NewAttempt, Outcome } from '../domain/attempt.ts';
import type { Rejection } from '../domain/command.ts';
import type { Kept } from '../domain/erasure.ts';
import type { Anomaly, EventType, Intent } from '../domain/intent.ts';
import type { HistoryCommand, Party } from '../domain/party.ts';
import type {
  MerchantRequester,
  Refund,
  RefundActionReason,
  RefundFailureReason,
  RefundRequester,
} from '../domain/refund.ts';
import type { LegalHold } from '../domain/retention.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { TryFault } from '../domain/webhook-fault.ts';

/**
 * The values that Workers and PaymentIntent objects exchange. Answers are unions, never exceptions,
 * because RPC does not preserve error classes. During a rollout, old and new code exchange these
 * values: add a member, use it, and remove it in separate releases.
 */

/** SHA-256 digests of the merchant's Idempotency-Key and of the raw request body. */
export interface IdempotencyClaim {
  readonly keyDigest: string;
  readonly bodyDigest: string;
}

export interface CreateRequest {
  readonly terms: IntentTerms;
  readonly idempotency: IdempotencyClaim | null;
  /** The one attempt of an express payment, started in the same commit. */
  readonly attempt: NewAttempt | null;
  /** How long the first answer may take. A repeated request must wait until then. */
  readonly answerWithinMs: number;
  /** The response body of a hosted payment; stored for idempotent replays. */
  readonly answer: string | null;
  /**
   * The same commit stores the answer of an express call by these. Absent: the caller asks the
   * provider first, and stores the answer with the provider's.
   */
  readonly facts?: ExpressFacts;
}

/** The result of a request whose id is taken. */
export type TakenResult =
  | { readonly type: 'duplicate' }
  /** The idempotency key and the body are the same: an idempotent replay. */
  | { readonly type: 'replay'; readonly answer: string }
  /** The idempotency key is the same, the body another. */
  | { readonly type: 'key_reused' }
  /** The first request is still in progress. */
  | { readonly type: 'in_flight' }
  /** The first request died before it answered. The answer must be derived from `intent`. */
  | { readonly type: 'unanswered'; readonly intent: Intent };

/**
 * `attempt`: the one attempt of an express payment, as it is stored. The result leaves out the rest
 * of the intent: the request says the same, and copying it between objects costs time.
 */
export type CreateResult =
  | {
      readonly type: 'created';
      readonly attempt: Attempt | null;
      /** The stored answer, which never changes; null while there is none. */
      readonly answer: string | null;
    }
  | TakenResult;

export type ProbeResult = { readonly type: 'free' } | TakenResult;

/** The state of an event's delivery (`delivery.ts`). */
export type DeliveryStatus =
  | 'queued'
  | 'claimed'
  | 'waiting'
  | 'delivered'
  | 'dead'
  | 'superseded'
  | 'undeliverable'
  /** No endpoint takes this type of event. */
  | 'skipped'
  /** The delivery waits, because the merchant's endpoint has failed for days. */
  | 'paused';

/** The states of deliveries in lists. `claimed` lasts seconds, and the book never has it. */
export const LISTED_STATUSES = [
  'delivered',
  'queued',
  'waiting',
  'dead',
  'undeliverable',
  'paused',
  'skipped',
  'superseded',
] as const satisfies readonly DeliveryStatus[];

/** Deliveries that have failed and need a person to resend them; they can be resent in bulk. */
export const FAILED_DELIVERIES: readonly DeliveryStatus[] = ['dead', 'undeliverable', 'paused'];

/** An event in these states may be resent. In the others it is on its way, or superseded. */
export const RESENDABLE_DELIVERIES: readonly DeliveryStatus[] = [
  'waiting',
  'delivered',
  'skipped',
  ...FAILED_DELIVERIES,
];

/** Deliveries that have not arrived and are not on their way at this moment. */
export const MISSED_DELIVERIES: readonly DeliveryStatus[] = ['waiting', ...FAILED_DELIVERIES];

/** Names an event: a payment of the tenant, and the version that the event announces. */
export interface EventName {
  readonly uniqueId: string;
  readonly sequence: number;
}

/** Identifies a delivery within its payment. */
export interface DeliveryId {
  /** The intent's version that the event announces. */
  readonly sequence: number;
  /** The delivery's position among the deliveries of its event, starting at 0. */
  readonly position: number;
}

/** An endpoint that takes the event. */
export interface ChosenEndpoint {
  readonly endpointId: string;
  readonly origin: string;
}

/** One try in the delivery log. */
export interface DeliveryTry {
  readonly atMs: number;
  readonly durationMs: number;
  /** HTTP status, or null when no answer came. */
  readonly httpStatus: number | null;
  /** Why no answer came, or why nothing was sent. */
  readonly error: string | null;
  /** The first KiB of the answer. */
  readonly answerExcerpt: string;
}

/** An event's delivery to one address. An event has one for each endpoint. */
export interface EventSummary extends DeliveryId {
  /** Null stands for the payment's callbackUrl, or says that no endpoint is chosen yet. */
  readonly endpointId: string | null;
  /** Scheme, host and port of the address when it was chosen; null while it is not. */
  readonly origin: string | null;
  readonly eventId: string;
  readonly type: EventType;
  readonly deliveryStatus: DeliveryStatus;
  readonly createdAtMs: number;
  /** The time of the next try or the end of a lease, or null. */
  readonly dueAtMs: number | null;
  readonly tries: readonly DeliveryTry[];
}

/** A row of the object's table as it is stored: see `schema.ts`. */
export interface StoredRecord {
  readonly id: number;
  readonly content: string;
}

/** Where a backup has a payment's rows: in a part, of a book that had nothing left at that time. */
export interface BackupPlace {
  readonly part: string;
  readonly backedUpAtMs: number;
}

/**
 * What became of a payment's rows from a backup. `kept`: a newer part has brought the payment back, or
 * the object has a newer state.
 * `unreadable`: they are of a newer release. `conflict`: another payment has the id meanwhile.
 * `overtaken`: an older part has brought the payment back, and it has gone on since.
 */
export type RestoreResult = 'restored' | 'kept' | 'unreadable' | 'conflict' | 'overtaken';

/** Cloudflare's bookmark of a time is approximate, and machines have clocks of their own. */
export const BOOKMARK_TOLERANCE_MS = 60_000;

/** What becomes of a payment that is set back to a time. */
export type RecoveryResult =
  | { readonly type: 'restored'; readonly undoBookmark: string }
  /** The platform keeps no earlier states. */
  | { readonly type: 'not_offered' }
  /** It would forget something, which `what` names. */
  | { readonly type: 'remembers'; readonly what: string }
  /** Its record cannot be read, so only its book can say what happened since. */
  | { readonly type: 'unreadable' };

/** One transition in the history. */
export interface HistoryEntry {
  readonly version: number;
  readonly atMs: number;
  readonly command: HistoryCommand;
  readonly fromStatus: string | null;
  readonly toStatus: string;
  /** `create` has none. */
  readonly detail: HistoryDetail | null;
}

/**
 * Who caused a transition, and why. Stored as JSON, so members are only ever added. A member that
 * does not apply is absent.
 */
export interface HistoryDetail {
  readonly actor: Party;
  /** The index of the attempt, from 0. */
  readonly attemptIndex?: number;
  readonly method?: Attempt['method'];
  /** The status after the transition. */
  readonly attemptStatus?: Attempt['status'];
  readonly outcome?: Outcome['type'];
  readonly reason?: FailureReason;
  readonly receipt?: string;
  /** The provider's own code or state. */
  readonly providerCode?: string;
  /** This transition recorded the anomaly. */
  readonly anomaly?: Anomaly['kind'];
  /** The proof of success came after the payment had ended. */
  readonly late?: true;
  /** The refund that changed. */
  readonly refund?: RefundDetail;
  /** Who canceled the payment or the refund. */
  readonly requester?: MerchantRequester;
  /** A manual resolution has it: who decided, and why, without phone numbers. */
  readonly operator?: string;
  /** Whether the operator's name was proved, or only claimed. */
  readonly operatorProved?: boolean;
  readonly operatorProvedBy?: NameProof;
  readonly note?: string;
  /** A first operator's finding "paid", which awaits a second one. */
  readonly proposed?: true;
}

/** Who requested refunds, or canceled the payment or a refund. */
export function requestersOf(
  { refunds }: Intent,
  history: readonly HistoryEntry[],
): readonly RefundRequester[] {
  return [
    ...refunds.map(({ requester }) => requester),
    ...history.flatMap(({ detail }) => detail?.requester ?? []),
  ];
}

export interface RefundDetail {
  readonly id: string;
  /** The status after the transition. */
  readonly status: Refund['status'];
  readonly amountMinor: number;
  readonly reason?: RefundFailureReason | RefundActionReason;
  readonly railReference?: string;
  readonly providerCode?: string;
  /** A first operator's decision, which awaits a second one. */
  readonly proposed?: true;
}

/** What the answer of an express call says beside the payment's state. */
export interface ExpressFacts {
  /** Where the customer pays; null for a prompt on the phone, and in telebirr's app. */
  readonly paymentUrl: string | null;
  /** What opens the payment in telebirr's app. */
  readonly telebirr?: AppParameters | null;
  readonly warnings: readonly string[];
}

export type ExecuteResult =
  | {
      readonly type: 'done';
      readonly intent: Intent;
      readonly rejection: Rejection | null;
      /** The stored answer, which never changes; null while there is none. */
      readonly answer: string | null;
    }
  | { readonly type: 'not_found' };

/** A message in the webhook queues. It identifies the delivery and contains no customer data. */
export interface DeliveryMessage extends DeliveryId {
  readonly objectName: string;
  /** Tenant and endpoint let the consumer bound concurrency without calling the object. */
  readonly tenant: Tenant;
  /** Null stands for the payment's callbackUrl, or `mustChoose` is true. */
  readonly endpointId: string | null;
  /** The endpoints are not chosen yet: the consumer passes them with its claim. */
  readonly mustChoose: boolean;
  readonly eventType: EventType;
  /** Of the payment: an endpoint may take those of one link only. */
  readonly paymentLinkUniqueId?: string | null;
  /** Of a sale: an endpoint may take those of one till only. */
  readonly tillId?: string | null;
}

export type ClaimResult =
  | { readonly type: 'claimed'; readonly delivery: ClaimedDelivery }
  /** Delivered, superseded, claimed by another consumer, or not due. */
  | { readonly type: 'refused' };

export interface ClaimedDelivery {
  /** Identifies this claim in the report. A report for an older claim is only logged. */
  readonly claimId: string;
  readonly eventId: string;
  readonly tenant: Tenant;
  /** The payment's own address; null: it goes to the merchant's endpoints (docs/decisions.md#19). */
  readonly callbackUrl: string | null;
  /**
   * The payment's callbackUrl does not take this event: a merchant without endpoints misses nothing.
   */
  readonly mayHaveNoReceiver: boolean;
  /** Where it goes without a callbackUrl; null: no endpoint took the event. */
  readonly endpointId: string | null;
  /** The gateway's own origin. No webhook may be sent there. */
  readonly ownOrigin: string;
  /** The exact request body with its RSA signature, the same for all tries. */
  readonly requestBody: string;
  /** Every try of the schedule was made, and the event waits for its paused endpoint. */
  readonly isScheduleUsedUp: boolean;
  /** The merchant ordered it for this try of a sandbox payment; null: none. */
  readonly fault: TryFault | null;
}

export interface DeliveryReport extends DeliveryId {
  readonly claimId: string;
  readonly outcome:
    | { readonly type: 'delivered' }
    /** After the last try, an event of a paused endpoint is paused instead of dead. */
    | {
        readonly type: 'failed';
        readonly retryAfterMs: number | null;
        readonly isEndpointPaused: boolean;
      }
    /** 410: the merchant rejects the event permanently. */
    | { readonly type: 'gone' }
    /** The event has no callbackUrl and no enabled endpoint. It can be resent later. */
    | { readonly type: 'no_destination' }
    /** No enabled endpoint takes this type of event. */
    | { readonly type: 'not_subscribed' }
    /**
     * The consumer sent nothing: the endpoint is still paused, and another event probes it today.
     */
    | { readonly type: 'paused' }
    /**
     * A failure of the gateway kept the event back, which uses up no try of the merchant's
     * schedule.
     */
    | { readonly type: 'not_sent' };
  /** Null when the merchant's log has nothing to show. */
  readonly log: DeliveryTry | null;
}

/** How long the payment is kept. */
export interface Retention {
  /** The last one; null when no operator ever held the payment. */
  readonly hold: LegalHold | null;
  /** When its object deletes the payment; null while it must not. */
  readonly endsAtMs: number | null;
}

/** `deleted`: only the tombstone is left, from now on or from before. */
export type EraseResult =
  | { readonly type: 'deleted' }
  | ({ readonly type: 'kept' } & Kept)
  | { readonly type: 'not_found' };
