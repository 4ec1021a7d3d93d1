import { counts } from './queries/counts.ts';
import { customersPayments } from './queries/customers.ts';
import { countFailed, deliveriesOf, events, undelivered } from './queries/deliveries.ts';
import { paidAtLink } from './queries/link-payments.ts';
import { payments, paymentsAfter, summaries } from './queries/payments.ts';
import { facts, paidPayments } from './queries/provider-files.ts';
import { refunds } from './queries/refunds.ts';
import { holdChangedAtMs, ofReferences, paymentOf, search, uniqueIdOf } from './queries/search.ts';
import { soldAt } from './queries/sold-at.ts';
import { statement } from './queries/statement.ts';
import { findStreamed, newestStreamed, streamedAfter } from './queries/stream.ts';
import { attempts, paidOut, totals } from './queries/totals.ts';

/** The questions a book answers, by name. Each is one synchronous read of the book's tables. */
export const QUESTIONS = {
  counts,
  payments,
  summaries,
  soldAt,
  totals,
  attempts,
  paidOut,
  search,
  uniqueIdOf,
  paymentOf,
  holdChangedAtMs,
  ofReferences,
  paymentsAfter,
  facts,
  paidPayments,
  customersPayments,
  paidAtLink,
  refunds,
  statement,
  events,
  deliveriesOf,
  undelivered,
  countFailed,
  streamedAfter,
  newestStreamed,
  findStreamed,
} as const;

export type QuestionName = keyof typeof QUESTIONS;

type ArgumentsAfterSql<Question> = Question extends (
  sql: SqlStorage,
  ...args: infer Arguments
) => unknown
  ? Arguments
  : never;

export type QuestionArguments<Name extends QuestionName> = ArgumentsAfterSql<
  (typeof QUESTIONS)[Name]
>;

export type Answer<Name extends QuestionName> = ReturnType<(typeof QUESTIONS)[Name]>;

export function answer<Name extends QuestionName>(
  sql: SqlStorage,
  name: Name,
  args: QuestionArguments<Name>,
): Answer<Name> {
  if (!Object.hasOwn(QUESTIONS, name)) {
    throw new Error('no such question');
  }
  const question = QUESTIONS[name] as (...given: unknown[]) => Answer<Name>;
  return question(sql, ...args);
}
