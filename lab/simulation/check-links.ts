import type { Ended } from './ended.ts';
import type { World } from './world.ts';

/**
 * No link has more payments than its maximum. A payment that is one too many says so, and only that
 * one; every other payment of a link has a place if it is paid, and none if it is not.
 */
export function checkLinks({ plan, registers, journal, clock }: World, ended: readonly Ended[]) {
  const { linkPaymentsMax } = plan;
  if (linkPaymentsMax === null) {
    return;
  }
  const ofTenants = Map.groupBy(
    ended.filter(({ intent }) => intent.terms.countedLink !== undefined),
    ({ payment: { merchant } }) => `${merchant.environment}/${merchant.merchantId}`,
  );
  for (const [name, payments] of ofTenants) {
    const { sql } = registers.hosts.get(registers.namespace.idFromName(name).toString()) ?? {};
    const rows = sql?.all(
      'SELECT payment_unique_id AS payment, type FROM link_places WHERE type <> ? OR until_ms > ?',
      ['reserved', clock.nowMs],
    );
    const committed = (rows ?? []).filter(({ type }) => type === 'committed').length;
    journal.expect('12 links', committed <= linkPaymentsMax, `${committed} payments of a link`);
    const wanted = payments
      .filter(({ intent }) => intent.status === 'succeeded')
      .map(({ intent: { terms, anomalies } }) => {
        const isSurplus = anomalies.some(({ kind }) => kind === 'surplus_payment');
        return `${terms.uniqueId} ${isSurplus ? 'surplus' : 'committed'}`;
      });
    const shown = (rows ?? []).map(({ payment, type }) => `${payment} ${type}`);
    const textOf = (lines: readonly string[]) => ({ places: [...lines].sort().join('; ') });
    journal.same('12 links', `the places of ${name}`, textOf(shown), textOf(wanted));
  }
}
