import type { Intent, IntentStatus } from '../../domain/intent.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { HistoryDetail, HistoryEntry } from '../../intent/protocol.ts';
import { Table } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import type { DashboardCall } from '../call.ts';
import { WhenExactly } from './elements.tsx';
import { type TimelineEntry, timelineOf } from './timeline.ts';

type Call = Pick<DashboardCall, 'language'>;

/** Every transition: when, what, by whom, and what else is known of it. */
export function Timeline(props: {
  readonly call: DashboardCall;
  readonly intent: Intent;
  readonly history: readonly HistoryEntry[];
}) {
  const { call, intent, history } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <section class="part timeline" aria-labelledby="timeline">
      <h2 id="timeline">{text.timeline}</h2>
      <Table
        caption={text.timeline}
        columns={[text.time, text.what, text.cause, text.details]}
        rows={timelineOf(history, intent.terms.kind).map((entry) => [
          <WhenExactly call={call} atMs={entry.atMs} />,
          <What call={call} entry={entry} />,
          text.actor[entry.actor],
          <span>{detailText(call, entry.detail) ?? <span class="quiet">—</span>}</span>,
        ])}
        empty={text.timeline}
      />
    </section>
  );
}

function What({ call, entry }: { readonly call: Call; readonly entry: TimelineEntry }) {
  const { command, change } = entry;
  const text = DASHBOARD_TEXTS[call.language].payment;
  return (
    <span>
      {text.command[command]}
      {change !== null && (
        <strong class="change">
          {change.from === null
            ? statusText(call, change.to)
            : text.became(statusText(call, change.from), statusText(call, change.to))}
        </strong>
      )}
    </span>
  );
}

/** History is text for people: a status that this release does not know is shown as it is. */
function statusText({ language }: Call, status: string): string {
  const known = DASHBOARD_TEXTS[language].statuses;
  return Object.hasOwn(known, status) ? known[status as IntentStatus] : status;
}

function detailText({ language }: Call, detail: HistoryDetail | null): string | null {
  if (detail === null) {
    return null;
  }
  const text = DASHBOARD_TEXTS[language].payment;
  const { attemptIndex, method, attemptStatus, reason, receipt, words, anomaly } = detail;
  const parts = [
    attemptIndex !== undefined &&
      (method === undefined
        ? text.aboutAttempt(String(attemptIndex + 1))
        : text.attempt(String(attemptIndex + 1), CHECKOUT_TEXTS[language].methodName[method])),
    attemptStatus !== undefined && text.attemptStatus[attemptStatus],
    reason !== undefined && text.failure[reason],
    receipt !== undefined && `${text.receipt}: ${receipt}`,
    words !== undefined && `${text.railWords}: ${words}`,
    anomaly !== undefined && text.anomalyTitle[anomaly],
    detail.late === true && text.lateTitle,
    detail.operator !== undefined && `${text.actor.operator}: ${detail.operator}`,
    detail.note,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : shownText(parts.join(' · '));
}
