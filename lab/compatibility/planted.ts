import type { VersionCode } from './bundles.ts';

/**
 * Members of messages, each renamed on one side alone: that side's parts understand each other, and
 * the other version's must not. A name that the code no longer has fails the test.
 */
export const PLANTED = {
  'a member of a request': 'answerWithinMs',
  'a member of an answer': 'mayHaveNoReceiver',
  'a member of a message to the book': 'receiptKeys',
  'a member of a command': 'registerClaimId',
  'a member of a queue message': 'mustChoose',
  'a member of a request of the back office': 'daysEach',
  'a member of an answer to the back office': 'hasPayments',
} as const satisfies Readonly<Record<string, string>>;

/** The code with the name changed everywhere. */
export function renamed({ payments, backOffice }: VersionCode, name: string): VersionCode {
  const word = new RegExp(`\\b${name}\\b`, 'g');
  if (!word.test(payments)) {
    throw new Error(`the code has no ${name}`);
  }
  const changed = (text: string) => text.replaceAll(word, `${name}Renamed`);
  return { payments: changed(payments), backOffice: changed(backOffice) };
}
