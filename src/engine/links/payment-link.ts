import { hexFromBytes } from '../../kit/crypto/encoding.ts';
import type { Currency } from '../../kit/money.ts';
import type { Method } from '../domain/method.ts';
import type { LineItem, Metadata, Split } from '../domain/terms.ts';
import { fullness, type TakenPlaces } from './places.ts';

/**
 * A payment link: a page of the merchant's at which any number of customers pay (docs/links.md). Its
 * payments are ordinary hosted payments.
 */

/** The most links of a merchant in one environment: one a day for 27 years. Links are never deleted. */
export const LINKS_MAX = 10_000;
/** A title is a headline on a phone, and the first line of a chat's preview. */
export const TITLE_CHARACTERS_MAX = 100;
/** What a chat message holds; a link has no page of its own for more. */
export const LINK_TEXT_CHARACTERS_MAX = 1_000;
/** A customer scrolls through them on a phone. */
export const LINK_ITEMS_MAX = 20;
/** A customer who wants more of an item calls the seller. */
export const ITEM_QUANTITY_MAX = 1_000;
/** Without a maximum of its own, a slip of the finger must not order a hundred. */
export const ITEM_QUANTITY_DEFAULT = 10;
/** Two rows of buttons on a phone. */
export const SUGGESTIONS_MAX = 4;

/** What the page can ask the customer for, in the order of the page. */
export const ASKED = ['name', 'phone', 'email', 'note'] as const;
export type Asked = (typeof ASKED)[number];

export const ASKING = ['NO', 'OPTIONAL', 'REQUIRED'] as const;
export type Asking = (typeof ASKING)[number];

/** The key of metadata under which a payment has the customer's note. */
export const NOTE_KEY = 'customerNote';

/** An item of the link, whose quantity the customer chooses, from 0 on. */
export interface LinkItem extends Pick<LineItem, 'name' | 'description' | 'type' | 'priceMinor'> {
  readonly quantityMax: number;
}

export type LinkPrice =
  | { readonly kind: 'fixed'; readonly amountMinor: number }
  | {
      readonly kind: 'open';
      readonly leastMinor: number;
      /** Null: only the limits that every payment has. */
      readonly mostMinor: number | null;
      readonly suggestionsMinor: readonly number[];
    }
  | { readonly kind: 'items'; readonly items: readonly LinkItem[] };

/** What a merchant chooses. */
export interface LinkSettings {
  readonly title: string;
  readonly description: string | null;
  readonly price: LinkPrice;
  readonly currency: Currency;
  /** Empty: all that are enabled when the customer pays. */
  readonly methods: readonly Method[];
  readonly askFor: Readonly<Record<Asked, Asking>>;
  readonly commissionPaidByCustomer: boolean;
  readonly splits: readonly Omit<Split, 'shareMinor'>[];
  /** From this time on, the page takes no payment. */
  readonly validUntilMs: number | null;
  /** How many payments it takes; null: any number. */
  readonly paymentsMax: number | null;
  /** What the page says after a payment. */
  readonly paidText: string | null;
  /** Where the customer goes after a payment; null: to the link's own page. */
  readonly returnUrl: string | null;
  readonly callbackUrl: string | null;
  readonly metadata: Metadata;
  readonly isActive: boolean;
}

export interface PaymentLink extends LinkSettings {
  /** `paymentLinkUniqueId`. */
  readonly id: string;
  /** The link's name in its address. Random, because ids are the merchant's own and may be long. */
  readonly code: string;
  /** Counts the changes, from 1. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** As the register read them. Absent without a maximum, and never stored with the link. */
  readonly places?: TakenPlaces;
}

/** Nine bytes fill twelve characters of base64, and a merchant has few links. */
const CODE_BYTES = 8;

export function newLinkCode(): string {
  return hexFromBytes(crypto.getRandomValues(new Uint8Array(CODE_BYTES)));
}

const ID_PREFIX = 'lnk_';
const ID_DIGITS = 20;

/** For a merchant who names none. */
export function newLinkId(): string {
  return ID_PREFIX + crypto.randomUUID().replaceAll('-', '').slice(0, ID_DIGITS);
}

/** Why a link takes no payment now; null: it does. */
export type LinkClosure = 'off' | 'over' | NonNullable<ReturnType<typeof fullness>>;

export function closureOf(
  link: Pick<PaymentLink, 'isActive' | 'validUntilMs' | 'paymentsMax' | 'places'>,
  nowMs: number,
): LinkClosure | null {
  const { isActive, validUntilMs, paymentsMax, places } = link;
  if (!isActive) {
    return 'off';
  }
  if (validUntilMs !== null && nowMs >= validUntilMs) {
    return 'over';
  }
  return paymentsMax === null || places === undefined ? null : fullness(places, paymentsMax);
}

/** A link's row as a backup has it. */
export type StoredLink = {
  id: string;
  code: string;
  created_at_ms: number;
  is_active: number;
  content: string;
  key_digest: string | null;
  body_digest: string | null;
  answer: string | null;
  /** `[payment, type]` of each payment that was paid, in JSON. */
  places: string;
};

/** The digests of a creation's Idempotency-Key and body (docs/decisions.md#8). */
export interface LinkClaim {
  readonly keyDigest: string;
  readonly bodyDigest: string;
}
