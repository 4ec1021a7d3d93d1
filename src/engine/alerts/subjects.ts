/** What operators are told of, and the rules by which a count becomes an alert. */

const HOUR_MS = 60 * 60 * 1_000;

/** The id is the anchor of the subject's section in docs/night.md. */
export const SUBJECTS = {
  /** Attempts whose window has passed without an outcome: customers may have paid. */
  unresolved_attempts: { concerns: 'money' },
  /** Refunds that a person must make, confirm or look up. */
  refunds_by_hand: { concerns: 'money' },
  /** Payments that two records contradict: paid twice, one receipt for two, more returned than paid. */
  money_conflicts: { concerns: 'money' },
  /** Paid payments that the provider's files lack. */
  provider_money_missing: { concerns: 'money' },
  /** A payment method whose provider does not answer, or that succeeds far less than usual. */
  method_failing: { concerns: 'sales' },
  /** Starts of payments that nothing has claimed for a while. */
  starts_waiting: { concerns: 'sales' },
  /** Messages that wait in a queue: webhooks, or reports of providers. */
  messages_waiting: { concerns: 'news' },
  /** Messages that a queue gave up. */
  dead_letters: { concerns: 'money' },
  /** D1 does not answer, or is nearly full. */
  database_failing: { concerns: 'gateway' },
  /** A daily run that did not end within a day: the backup, or the deletion of old data. */
  daily_run_late: { concerns: 'gateway' },
  /** Keys and certificates near their end. */
  keys_ending: { concerns: 'gateway' },
  /** Parts that the last self-check found wrong. */
  self_check_failed: { concerns: 'gateway' },
  /** Far more refused sign-ins than usual. */
  sign_ins_refused: { concerns: 'security' },
} as const satisfies Readonly<Record<string, { readonly concerns: Concern }>>;

type Concern = 'money' | 'sales' | 'news' | 'gateway' | 'security';

export type SubjectId = keyof typeof SUBJECTS;

export const SUBJECT_IDS = Object.keys(SUBJECTS) as readonly SubjectId[];

/** A subject is repeated at most this often, and only when more has happened. */
export const REPEAT_EVERY_MS = HOUR_MS;
