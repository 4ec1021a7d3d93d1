import * as v from 'valibot';
import { fieldError } from '../../../kit/http/field-error.ts';
import { oneOf } from '../../../kit/http/fields.ts';
import { majorText } from '../../../kit/money.ts';
import {
  PERCENTAGE_WHOLE,
  percentageTotal,
  type SplitValue,
  shareableMinor,
  shareMinor,
  sharesMinor,
} from '../../domain/splits.ts';
import type { Split } from '../../domain/terms.ts';
import type { ValidationContext } from './context.ts';
import { idField, listOrNone, moneyField, record, SPLITS_MAX } from './fields.ts';
import type { Problems } from './problems.ts';

/**
 * Percentages have two decimals too, so the field for money also parses hundredths of a percent.
 */
const valueEntries = { amount: moneyField, splitType: oneOf(['PERCENTAGE', 'NUMBER']) };

function withValue<Given extends { amount: number; splitType: 'PERCENTAGE' | 'NUMBER' }>({
  amount,
  splitType,
  ...rest
}: Given) {
  const type: Split['type'] = splitType === 'PERCENTAGE' ? 'percentage' : 'number';
  return { ...rest, type, value: amount };
}

/** `splitPayment`: null and absent are an empty list (docs/decisions.md#6). */
export function splitsField(banks: ValidationContext['banks']) {
  const bankField = v.pipe(
    idField,
    v.check(
      (bank) => banks.has(bank),
      fieldError('invalid_choice', 'Is not in the list of banks.'),
    ),
    v.check(
      (bank) => banks.get(bank)?.supportsWithdrawal === true,
      fieldError('not_supported', 'This bank does not support withdrawal.'),
    ),
  );
  return listOrNone(
    v.pipe(
      record({ bank: bankField, creditAccount: idField, ...valueEntries }),
      v.transform(withValue),
    ),
    SPLITS_MAX,
  );
}

/** The fields of each beneficiary that the sum rules read; null for an invalid one. */
export const splitValuesPart = listOrNone(
  v.fallback(v.nullable(v.pipe(record(valueEntries), v.transform(withValue))), null),
  SPLITS_MAX,
);

/**
 * Checks the sums of shares (docs/decisions.md#14). Unknown values (null) count as 0. This reports
 * no false errors, because shares are never negative. `commissionsBorneMinor`: by method, if the
 * merchant bears them.
 */
export function checkSplits(
  splits: readonly (SplitValue | null)[],
  amountMinor: number | null,
  commissionsBorneMinor: readonly number[],
  problems: Problems,
): void {
  for (const [index, split] of splits.entries()) {
    if (split?.type === 'percentage' && split.value > PERCENTAGE_WHOLE) {
      problems.add(
        `splitPayment[${index}].amount`,
        fieldError('too_large', 'A percentage must be at most 100.'),
      );
    }
  }
  const known = splits.filter((split) => split !== null);
  if (percentageTotal(known) > PERCENTAGE_WHOLE) {
    problems.add(
      'splitPayment',
      fieldError('too_large', 'The percentages must not exceed 100 together.'),
    );
  }
  if (known.length === 0 || amountMinor === null) {
    return;
  }
  const limitMinor = shareableMinor(amountMinor, commissionsBorneMinor);
  if (sharesMinor(amountMinor, known) > limitMinor) {
    const limit =
      commissionsBorneMinor.length > 0 ? 'the amount less the commission' : 'the amount';
    problems.add(
      'splitPayment',
      fieldError(
        'too_large',
        `The shares must not exceed ${limit} together: ${majorText(limitMinor)}.`,
      ),
    );
  }
}

/** The beneficiaries with each one's share of the amount. */
export function withShares(
  splits: readonly Omit<Split, 'shareMinor'>[],
  amountMinor: number,
): Split[] {
  return splits.map((split) => ({ ...split, shareMinor: shareMinor(amountMinor, split) }));
}
