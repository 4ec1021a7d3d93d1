import { failuresIn } from '../../../scripts/gateway/failures.ts';

/**
 * What a gateway's log must not have: errors of its own, and phones that tests paid with
 * (docs/promises.md#10). `expected`: texts of errors that the test provokes.
 */
export function faultsIn(
  log: string,
  phones: readonly string[],
  expected: readonly string[] = [],
): readonly string[] {
  return [
    ...failuresIn(log).filter((failure) => !expected.some((text) => failure.includes(text))),
    ...phones.filter((phone) => phone !== '' && log.includes(phone)),
  ];
}
