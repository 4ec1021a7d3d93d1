import type { Given } from './command.ts';
import * as values from './values.ts';

/** The words in the help for what is given by position: parts of paths, and fields. */
export const PLACES: Readonly<Record<string, string>> = {
  environment: 'ENVIRONMENT',
  merchantId: 'MERCHANT',
  uniqueId: 'PAYMENT',
  attemptId: 'ATTEMPT',
  refundId: 'REFUND',
  memberId: 'MEMBER',
  method: 'METHOD',
  currency: 'CURRENCY',
  code: 'CODE',
  id: 'ID',
  ids: 'ID…',
};

const CHECKS: Readonly<Record<string, (text: string) => string>> = {
  environment: values.environment,
  method: values.method,
  currency: values.currency,
};

/** A path with its parts filled in, by position or by an option. */
export function pathOf(path: string, given: Given): string {
  return path.replaceAll(/:(\w+)/g, (_, part: string) => {
    const text = given.option(part) ?? given.at(PLACES[part] ?? part);
    return encodeURIComponent(CHECKS[part]?.(text) ?? text);
  });
}
