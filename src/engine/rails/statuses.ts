import type { RailAnswer } from './call-rail.ts';
import type { StartResult } from './rail.ts';

/** What an HTTP status says about a call before its body is read. */
export type StatusMeaning =
  /** The body decides. */
  | 'answer'
  /** The server rejected the call unread: no access, or a wrong URL. The provider did nothing. */
  | 'unread'
  /** The same, because of the bearer token: a retry with a new one cannot act twice. */
  | 'token_refused'
  /** Rejected unread, because there are too many calls. */
  | 'busy'
  /** The provider may or may not have acted. */
  | 'unclear';

/** What each status means, by the status or by its first digit. */
export interface StatusTable {
  readonly [status: number]: StatusMeaning;
  readonly '4xx'?: StatusMeaning;
  readonly '5xx'?: StatusMeaning;
  readonly others: StatusMeaning;
}

/** The provider, or a server in front of it, rejects calls without access and to wrong URLs. */
export const UNREAD = { 401: 'unread', 403: 'unread', 404: 'unread', 405: 'unread' } as const;

/** How the rails differ, on purpose. */
export const STATUSES = {
  /** eBirr answers 200 even to refuse, so another status does not come from eBirr itself. */
  ebirr: { 200: 'answer', ...UNREAD, others: 'unclear' },
  /** The gateway itself always answers 200; other statuses come from a proxy in front of it. */
  cards: { 200: 'answer', ...UNREAD, 429: 'busy', others: 'unclear' },
  /** NBG publishes no error codes. 408: a timeout. 409: the order exists, perhaps from this call. */
  nbgOrder: {
    200: 'answer',
    201: 'answer',
    401: 'token_refused',
    408: 'unclear',
    409: 'unclear',
    429: 'busy',
    '4xx': 'unread',
    others: 'unclear',
  },
  /** A login moves no money. */
  nbgLogin: { 408: 'busy', 429: 'busy', '4xx': 'unread', '5xx': 'busy', others: 'answer' },
  /** M-PESA writes its own codes into answers with most statuses. */
  mpesa: { 401: 'token_refused', 429: 'busy', '5xx': 'unclear', others: 'answer' },
  mpesaToken: { 200: 'answer', 400: 'unread', 401: 'unread', 403: 'unread', others: 'busy' },
  /** The relay, or the server behind it, has no 405. */
  telebirrUssd: { 200: 'answer', 401: 'unread', 403: 'unread', 404: 'unread', others: 'unclear' },
  /** Where telebirr names no code of its own; its codes count at any status. */
  telebirrToken: { 200: 'answer', 429: 'busy', '4xx': 'unread', others: 'busy' },
} as const satisfies Readonly<Record<string, StatusTable>>;

export function meaningOfStatus(answer: RailAnswer, table: StatusTable): StatusMeaning {
  const { status } = answer;
  if (status === null) {
    return 'unclear';
  }
  const hundreds = status >= 400 && status < 500 ? table['4xx'] : status >= 500 && table['5xx'];
  return table[status] ?? (hundreds || table.others);
}

/** What a start's status alone proves; null when the body decides. */
export function startByStatus(meaning: StatusMeaning): StartResult | null {
  switch (meaning) {
    case 'answer':
      return null;
    case 'unread':
    case 'token_refused':
      return { type: 'refused', reason: 'misconfigured' };
    case 'busy':
      return { type: 'refused', reason: 'rail_unavailable' };
    case 'unclear':
      return { type: 'unknown' };
  }
}
