import * as v from 'valibot';
import { ID_CHARACTERS_MAX } from '../../engine/domain/identifiers.ts';
import type { OtherPayment } from '../../engine/domain/intent.ts';
import { METHODS, type Method } from '../../engine/domain/method.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { runRecorded } from '../../kit/audit/log.ts';
import { businessDay, DAY_MS, dayText, timeMsOf } from '../../kit/ethiopian-time.ts';
import { fieldError } from '../../kit/http/field-error.ts';
import { oneOf, shortText } from '../../kit/http/fields.ts';
import { parsed } from '../../kit/http/list-request.ts';
import { found, validationProblem } from '../../kit/http/problem.ts';
import { body, checked } from '../../kit/http/strict-body.ts';
import type { Currency } from '../../kit/money.ts';
import { action, entryBy, type Gateway, type Target } from '../operator/call.ts';
import {
  environmentField,
  lineField,
  merchantIdField,
  pathPart,
  REASON_CHARACTERS_MAX,
} from '../operator/fields.ts';
import { type ItemPage, limitField } from '../operator/page-query.ts';
import { operationProblem } from '../operator/problems.ts';
import { filesOf } from './client.ts';
import { filesIn, methodIn } from './files.ts';
import { ARRIVED, OUTCOMES, SETTLED } from './judge.ts';
import type { OutcomeSum, StoredLine, Sum } from './line-table.ts';
import { stateOf } from './line-writer.ts';

/** What the provider's files show: the board of the day, the lines, and what operators decide of them. */

/** A missing payment's key has a day, a merchant's id of 64 and that of the payment, in UTF-16. */
const KEY_CHARACTERS_MAX = 100 + 2 * ID_CHARACTERS_MAX;
const DAYS_MAX = 92;
const DAYS_SHOWN = 7;

const dayField = parsed(
  (text) => {
    const atMs = /^20\d\d-\d\d-\d\d$/.test(text) ? timeMsOf(text) : null;
    return atMs === null ? null : atMs / DAY_MS;
  },
  fieldError('invalid_format', 'Must be a day such as 2026-11-28.'),
);
const dayEntries = { from: v.optional(dayField), to: v.optional(dayField) };

function daysOf({ nowMs }: Gateway, query: { from?: number | undefined; to?: number | undefined }) {
  const toDay = query.to ?? Math.max(query.from ?? 0, businessDay(nowMs));
  const fromDay = query.from ?? toDay - DAYS_SHOWN + 1;
  if (fromDay > toDay || toDay - fromDay >= DAYS_MAX) {
    const text = `Must not be after the last day, and at most ${DAYS_MAX} days before it.`;
    throw validationProblem({ from: fieldError('mismatch', text) });
  }
  return { fromDay, toDay };
}

/** A day of one method and currency. */
export interface BoardRow {
  readonly day: string;
  readonly method: Method;
  readonly currency: Currency;
  /** Kefel's paid payments when they were last compared with a file; null: never. */
  readonly expected: { readonly payments: number; readonly amountMinor: number } | null;
  readonly comparedAtMs: number | null;
  /** Payments that the provider's files have. */
  readonly arrivedMinor: number;
  /** What needs a person: missing payments, and lines that differ. */
  readonly missing: Sum;
  readonly different: Sum;
  readonly outcomes: readonly Omit<OutcomeSum, 'day' | 'currency'>[];
}

/** The newest day first. Without days: the last seven. */
export async function providerBoard(
  gateway: Gateway,
  target: Target,
  query: Readonly<Record<string, string>>,
): Promise<readonly BoardRow[]> {
  const environment = pathPart(environmentField, target.environment);
  const { fromDay, toDay } = daysOf(gateway, checked(body(dayEntries), query));
  const boards = await Promise.all(
    METHODS.map(async (method) => {
      const { expected, outcomes } = await filesOf(gateway.env, environment, method).sums(
        fromDay,
        toDay,
      );
      const all = [...expected, ...outcomes];
      const keys = new Map(
        all.map(({ day, currency }) => [`${day}/${currency}`, { day, currency }]),
      );
      return [...keys.values()].map(({ day, currency }): BoardRow & { readonly order: number } => {
        const isOwn = (sum: { readonly day: number; readonly currency: Currency }) =>
          sum.day === day && sum.currency === currency;
        const own = outcomes.filter(isOwn);
        const { comparedAtMs = null, ...known } = expected.find(isOwn) ?? {};
        const open = own.filter(
          ({ isDecided, outcome }) => !(isDecided || SETTLED.includes(outcome)),
        );
        return {
          order: day,
          day: dayText(day),
          ...{ method, currency, comparedAtMs },
          expected:
            'payments' in known
              ? { payments: known.payments, amountMinor: known.amountMinor }
              : null,
          arrivedMinor: sumOf(own.filter(({ outcome }) => ARRIVED.includes(outcome))).amountMinor,
          missing: sumOf(open.filter(({ outcome }) => outcome === 'missing')),
          different: sumOf(open.filter(({ outcome }) => outcome !== 'missing')),
          outcomes: own.map(({ day: _, currency: __, ...outcome }) => outcome),
        };
      });
    }),
  );
  return boards
    .flat()
    .toSorted((one, other) => other.order - one.order)
    .map(({ order: _, ...row }) => row);
}

function sumOf(sums: readonly OutcomeSum[]): Sum {
  return sums.reduce<Sum>(
    (sum, { lines, amountMinor }) => ({
      lines: sum.lines + lines,
      amountMinor: sum.amountMinor + amountMinor,
    }),
    { lines: 0, amountMinor: 0 },
  );
}

const linesQuery = body({
  ...dayEntries,
  outcome: v.optional(oneOf(OUTCOMES)),
  open: v.optional(oneOf(['yes', 'no']), 'no'),
  limit: limitField,
  cursor: v.optional(shortText(KEY_CHARACTERS_MAX)),
});

export interface ShownLine extends StoredLine {
  /** A decision may name it. */
  readonly state: string;
}

function shownLine(line: StoredLine): ShownLine {
  return { ...line, state: stateOf(line) };
}

/** Lines of a method in the order of their days. Without days: of the last seven. */
export async function providerLines(
  gateway: Gateway,
  target: Target,
  query: Readonly<Record<string, string>>,
): Promise<ItemPage<ShownLine>> {
  const { outcome, open, limit, cursor = '', ...days } = checked(linesQuery, query);
  const filter = { ...daysOf(gateway, days), outcome, isOpen: open === 'yes' };
  const items = await filesIn(gateway, methodIn(target)).lines(filter, cursor, limit);
  return {
    items: items.map(shownLine),
    nextCursor: items.length < limit ? null : (items.at(-1)?.key ?? null),
  };
}

/** Problem 404 for no such line. */
export async function providerLine(
  gateway: Gateway,
  target: Target,
  key: string,
): Promise<ShownLine> {
  return shownLine(found(await filesIn(gateway, methodIn(target)).line(key)));
}

/**
 * Decides about a line: a finding, which changes no payment. `assign` names its payment, `accept` a
 * difference that is all right, `not_ours` a line of no payment of Kefel's; `undo` ends these and
 * compares the line again.
 */
export const decideProviderLine = action(
  body({
    key: shortText(KEY_CHARACTERS_MAX),
    decision: oneOf(['assign', 'accept', 'not_ours', 'undo']),
    reason: lineField(REASON_CHARACTERS_MAX),
    merchantId: v.optional(merchantIdField),
    uniqueId: v.optional(shortText(KEY_CHARACTERS_MAX)),
    /** The line's `state`, which must still be so. */
    seen: v.optional(shortText(KEY_CHARACTERS_MAX)),
  }),
  async (call, target, { key, decision, reason: given, merchantId, uniqueId, seen = null }) => {
    const of = methodIn(target);
    const files = filesIn(call, of);
    const line = found(await files.line(key));
    const payment = decision === 'assign' ? namedPayment(merchantId, uniqueId) : null;
    const isWrong =
      decision === 'not_ours'
        ? [...ARRIVED, ...SETTLED, 'missing'].includes(line.outcome)
        : decision === 'accept'
          ? SETTLED.includes(line.outcome)
          : decision === 'assign' && line.outcome === 'missing';
    if (isWrong) {
      throw operationProblem('provider_line_settled', { outcome: line.outcome });
    }
    const reason = withoutPhoneNumbers(given);
    const detail = { method: of.method, decision, reason, ...payment };
    const entry = { merchantId: null, environment: of.environment, target: key, detail };
    return runRecorded(
      call.env.DB,
      entryBy(call, { ...entry, action: 'provider_line.decided' }),
      async () => {
        const { name: operator } = call.actor;
        const made = { reason, operator, atMs: call.nowMs };
        const change =
          payment !== null
            ? ({ type: 'assign', payment } as const)
            : decision === 'undo'
              ? ({ type: 'undo' } as const)
              : ({ type: decision === 'accept' ? 'accepted' : 'not_ours', ...made } as const);
        const decided = found(await files.decide(key, change, seen));
        if (decided === 'changed') {
          throw operationProblem('provider_line_changed');
        }
        return shownLine(decided);
      },
    );
  },
);

function namedPayment(merchantId: string | undefined, uniqueId: string | undefined): OtherPayment {
  if (merchantId === undefined || uniqueId === undefined) {
    const missing = { merchantId, uniqueId };
    const names = Object.entries(missing).flatMap(([name, text]) =>
      text === undefined ? name : [],
    );
    const error = fieldError('required', 'This field is required.');
    throw validationProblem(Object.fromEntries(names.map((name) => [name, error])));
  }
  return { merchantId, uniqueId };
}
