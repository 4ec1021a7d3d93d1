import type { Intent } from '../../domain/intent.ts';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';

/** What a person should look at, in words, with what to do. Nothing when all is well. */
export function Attention(props: { readonly call: DashboardCall; readonly intent: Intent }) {
  const { call, intent } = props;
  const text = DASHBOARD_TEXTS[call.language].payment;
  const hasUnresolved = intent.attempts.some(({ status }) => status === 'unresolved');
  const numberOf = (attemptId: string) =>
    String(intent.attempts.findIndex(({ id }) => id === attemptId) + 1);
  if (!hasUnresolved && !intent.late && intent.anomalies.length === 0) {
    return null;
  }
  return (
    <section class="message message-warning attention" aria-labelledby="attention">
      <h2 id="attention">{text.attention}</h2>
      {hasUnresolved && <Point title={text.unresolvedTitle}>{text.unresolved}</Point>}
      {intent.late && <Point title={text.lateTitle}>{text.late}</Point>}
      {intent.anomalies.map(({ kind, attemptId, atMs }) => (
        <Point title={text.anomalyTitle[kind]}>
          {text.anomaly[kind]}{' '}
          <span class="small">
            {text.aboutAttempt(numberOf(attemptId))}, <When call={call} atMs={atMs} />
          </span>
        </Point>
      ))}
    </section>
  );
}

function Point(props: { readonly title: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <h3>{props.title}</h3>
      <p>{props.children}</p>
    </div>
  );
}
