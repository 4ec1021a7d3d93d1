import type { Intent } from '../../src/engine/domain/intent.ts';
import type { HistoryEntry } from '../../src/engine/intent/protocol.ts';
import type { StoredEvent } from '../../src/engine/intent/store.ts';
import type { PlannedPayment } from './plan.ts';

/** A payment at the end, as it is stored. */
export interface Ended {
  readonly payment: PlannedPayment;
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
  readonly events: readonly StoredEvent[];
}
