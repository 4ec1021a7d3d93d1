import type { OtherPayment } from '../../engine/domain/intent.ts';
import type { StoredFile } from './file-table.ts';
import type { FoundPayments } from './find-payments.ts';
import { ARRIVED, judge } from './judge.ts';
import type { Decision, LineTable, StoredLine } from './line-table.ts';
import type { FileLine } from './lines.ts';

const SAID = ['outcome', 'currency', 'amountMinor', 'feeMinor', 'netMinor', 'uniqueId'] as const;

/** What a decision is about, as a text: it ends when a corrected file says something else. */
export function stateOf(line: StoredLine): string {
  return SAID.map((name) => line[name] ?? '-').join(' ');
}

export function keptDecision(before: StoredLine, now: StoredLine): Decision | null {
  return stateOf(before) === stateOf(now) ? before.decision : null;
}

export function paymentOf({ merchantId, uniqueId }: StoredLine): readonly OtherPayment[] {
  return merchantId === null || uniqueId === null ? [] : [{ merchantId, uniqueId }];
}

/** Judges lines beside those that are stored. Each method is part of a transaction. */
export class LineWriter {
  readonly #lines: LineTable;

  constructor(lines: LineTable) {
    this.#lines = lines;
  }

  judged(
    { id: fileId, method, profile }: StoredFile,
    line: FileLine,
    key: string,
    assigned: OtherPayment | null,
    found: FoundPayments,
  ): StoredLine {
    const about = assigned === null ? found.of(line) : [assigned];
    const { outcome, expectedMinor, payment } = judge(line, {
      method,
      payments: about.flatMap((other) => found.factsOf(other) ?? []),
      fee: profile.fee ?? null,
      othersOf: ({ merchantId, uniqueId }) =>
        this.#lines
          .ofPayment(merchantId, uniqueId)
          .filter((other) => other.key !== key && other.type === line.type)
          .filter((other) => other.outcome === 'refund' || ARRIVED.includes(other.outcome))
          .map(({ amountMinor }) => amountMinor),
    });
    const { merchantId = null, uniqueId = null } = payment ?? {};
    const judged = { outcome, expectedMinor, merchantId, uniqueId };
    return { ...line, key, fileId, ...judged, isAssigned: assigned !== null, decision: null };
  }

  /** The payment of a line that has arrived is no longer missing. */
  put(line: StoredLine): void {
    this.#lines.put(line);
    const others = ARRIVED.includes(line.outcome)
      ? paymentOf(line).flatMap((one) => this.#lines.ofPayment(one.merchantId, one.uniqueId))
      : [];
    for (const { key, outcome } of others) {
      if (outcome === 'missing') {
        this.#lines.remove(key);
      }
    }
  }

  putMissing(line: StoredLine): void {
    const hasArrived = paymentOf(line).some(({ merchantId, uniqueId }) =>
      this.#lines.hasArrived(merchantId, uniqueId),
    );
    if (!hasArrived) {
      this.#lines.put({ ...line, decision: this.#lines.get(line.key)?.decision ?? null });
    }
  }
}
