import { isoTime } from '../../kit/ethiopian-time.ts';
import { windowEndsByMs } from '../attempts/start.ts';
import type { Method } from '../domain/method.ts';
import type { IntentTerms } from '../domain/terms.ts';
import type { Rail } from '../rails/rail.ts';

/** A customer takes about this long to open the page of a hosted payment and to choose a method. */
const CHOOSING_MS = 30_000;

/** A method of a payment, and the rail that would start it now; null: none. */
export interface RailChoice {
  readonly method: Method;
  readonly rail: Rail | null;
}

/**
 * Warns of each method whose provider may report a payment after the expiry, because the payment is
 * shorter than the provider's own time (docs/decisions.md#1).
 */
export function heldExpiryWarnings(
  terms: IntentTerms,
  rails: readonly RailChoice[],
): readonly string[] {
  return rails.flatMap(({ method, rail }) => {
    const heldUntilMs = rail === null ? null : heldUntil(terms, method, rail);
    return heldUntilMs === null
      ? []
      : [
          `expireIn is shorter than the time of ${method}: an attempt that is under way at the ` +
            `expiry can be reported until ${isoTime(heldUntilMs)}, and PAYMENT_EXPIRED waits for it.`,
        ];
  });
}

/** Null when an attempt ends in time, or would if the customer of a hosted payment chose soon. */
function heldUntil(terms: IntentTerms, method: Method, rail: Rail): number | null {
  const { kind, createdAtMs, expiresAtMs } = terms;
  const isHosted = kind === 'hosted';
  // The alarm may make a slow start in the last moment, if the object died before.
  const mayStartLate = isHosted || rail.startWaitsForCustomer;
  const soonMs = isHosted ? Math.min(createdAtMs + CHOOSING_MS, expiresAtMs) : createdAtMs;
  return windowEndsByMs(terms, method, rail, soonMs) > expiresAtMs
    ? windowEndsByMs(terms, method, rail, mayStartLate ? expiresAtMs : soonMs)
    : null;
}
