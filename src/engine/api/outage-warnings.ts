import { isoTime } from '../../kit/ethiopian-time.ts';
import { notWorkingSinceMs } from '../attempts/method-outages.ts';
import type { IntentTerms } from '../domain/terms.ts';
import { simulator } from '../rails/simulator/rail.ts';
import type { RailChoice } from './held-expiry.ts';

/**
 * Warns of the method of an express payment whose provider seems to be down (docs/decisions.md#66). On
 * a checkout page the customer sees it when they choose, perhaps hours later.
 */
export function outageWarnings(
  terms: IntentTerms,
  rails: readonly RailChoice[],
): readonly string[] {
  const { kind, createdAtMs } = terms;
  return rails.flatMap(({ method, rail }) => {
    const isReal = kind === 'express' && rail !== null && rail.id !== simulator.id;
    const sinceMs = isReal ? notWorkingSinceMs(terms, method, createdAtMs) : null;
    return sinceMs === null
      ? []
      : [
          `method ${method} is not working at the moment: since ${isoTime(sinceMs)}, payments have not ` +
            'reached its provider.',
        ];
  });
}
