import { jsonObject, membersOf, minorOf, scalarOf } from '../members.ts';
import { SUCCESS_CODE } from './codes.ts';

export type MpesaResult = NonNullable<ReturnType<typeof resultIn>>;

/**
 * The result of a status query or a reversal, in Kenya's format: no Ethiopian sample is public. Null
 * for anything else, such as a push's callback.
 */
export function resultIn(text: string) {
  const members = membersOf(jsonObject(text)?.Result);
  const resultCode = scalarOf(members?.ResultCode);
  if (members === null || resultCode === null) {
    return null;
  }
  const parameters = membersOf(members.ResultParameters)?.ResultParameter;
  const parameter = (name: string) => valueWithKey(parameters, name);
  const amount = parameter('Amount');
  return {
    members,
    isFinal: scalarOf(members.ResultType) === SUCCESS_CODE,
    resultCode,
    /** Undefined when it is absent; null when it is not an amount. */
    amountMinor: amount === undefined ? undefined : minorOf(amount),
    parameter,
  };
}

/** The value with that key in a list, or in a single entry; undefined when two entries have it. */
export function valueWithKey(entries: unknown, key: string): unknown {
  const list = Array.isArray(entries) ? entries : [entries];
  const named = list.filter((entry) => membersOf(entry)?.Key === key);
  return named.length === 1 ? membersOf(named[0])?.Value : undefined;
}
