import { failuresIn } from '../../../scripts/gateway/failures.ts';

/**
 * What a gateway's log must not have: errors of its own, and phones that tests paid with
 * (docs/promises.md#10).
 */
export function faultsIn(log: string, phones: readonly string[]): readonly string[] {
  return [...failuresIn(log), ...phones.filter((phone) => phone !== '' && log.includes(phone))];
}
