import { type Actor, actorOf } from '../../domain/actor.ts';
import type { IntentKind } from '../../domain/intent.ts';
import type { HistoryDetail, HistoryEntry } from '../../intent/protocol.ts';

/** One line of a payment's history as a person reads it. Pure. */
export interface TimelineEntry {
  readonly atMs: number;
  readonly command: HistoryEntry['command'];
  readonly actor: Actor;
  /** Null when the status stayed as it was. */
  readonly change: { readonly from: string | null; readonly to: string } | null;
  readonly detail: HistoryDetail | null;
}

/** Newest last, as it happened. Old entries have no details; their actor follows from the command. */
export function timelineOf(history: readonly HistoryEntry[], kind: IntentKind): TimelineEntry[] {
  return history.map(({ atMs, command, fromStatus, toStatus, detail }) => ({
    atMs,
    command,
    actor: detail?.actor ?? actorOf(command, kind),
    change: fromStatus === toStatus ? null : { from: fromStatus, to: toStatus },
    detail,
  }));
}
