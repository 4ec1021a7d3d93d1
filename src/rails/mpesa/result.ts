import { jsonObject, type Members, membersOf, minorOf, scalarOf } from '../members.ts';
import { SUCCESS_CODE } from './codes.ts';

/** The result of a status query or a reversal, in Kenya's format: no Ethiopian sample is public. */
export interface MpesaResult {
  readonly members: Members;
  readonly isFinal: boolean;
  readonly resultCode: string;
  /** Undefined when it is absent; null when it is no amount. */
  readonly amountMinor: number | null | undefined;
  parameter(name: string): unknown;
}

/** Parses a result; null for anything else, such as a push's callback. */
export function resultIn(text: string): MpesaResult | null {
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
