import type { NameProof } from '../../kit/name-proof.ts';
import { isPrintable } from '../../kit/text.ts';

/** A person's name or email address, which every audit entry contains. */
export const OPERATOR_LENGTH_MAX = 100;

/** Who decided, and why. The history keeps both. */
export interface OperatorNote {
  readonly operator: string;
  /** Whether the operator's name is proved, as it must be in production and where two agree. */
  readonly isVerified: boolean;
  /** What proves it. */
  readonly provedBy?: NameProof;
  /** The reason. */
  readonly note: string;
}

/** One operator's decision, until another operator confirms it. */
export interface Proposal extends Omit<OperatorNote, 'isVerified'> {
  readonly resolutionId: string;
  readonly atMs: number;
}

/** What proves the name of who decides, as stored. */
export function proofOf({ provedBy }: Pick<OperatorNote, 'provedBy'>) {
  return provedBy === undefined ? {} : { provedBy };
}

/** Whether audit entries and histories can contain it as an operator's name. */
export function isOperatorName(name: string): boolean {
  return name !== '' && name.length <= OPERATOR_LENGTH_MAX && isPrintable(name);
}

/**
 * Whether two names are one person's. One person could otherwise act as two operators by another
 * spelling of a name, or by a `+tag` of an e-mail address.
 */
export function isSameOperator(one: string, other: string): boolean {
  return comparedName(one) === comparedName(other);
}

function comparedName(name: string): string {
  // Normalized twice, because the lower case of a letter may be composed in another way.
  const folded = name.normalize('NFKC').toLowerCase().normalize('NFKC');
  const text = folded
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const [, user, host] = /^([^+@]+)(?:\+[^@]*)?@([^@]+)$/.exec(text) ?? [];
  return user === undefined ? text : `${user}@${host}`;
}
