import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { CopyText, Message, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { Frame } from '../frame.tsx';

/** The only page that ever holds a key in clear. */
export function NewKeyPage(props: {
  readonly call: DashboardCall;
  readonly name: string;
  readonly apiKey: string;
  /** The key whose place it takes; `endsAtMs` is null when that one ends at once. */
  readonly rolled: { readonly hint: string; readonly endsAtMs: number | null } | null;
}) {
  const { call, name, apiKey, rolled } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  return (
    <Frame call={call} title={`${text.newTitle}: ${name}`} active="keys">
      <Message tone="good">{rolled === null ? text.done.created : text.done.rolled}</Message>
      <section class="card">
        <CopyText call={call} id="api-key" label={text.newLabel} value={apiKey} />
        <p>
          <strong>{text.shownOnce}</strong>
        </p>
        <p>{text.keepIt}</p>
        {rolled !== null && (
          <p>
            {text.oldKey} <code>…{rolled.hint}</code>:{' '}
            {rolled.endsAtMs === null ? (
              text.oldEndsNow
            ) : (
              <>
                {text.oldEnds} <When call={call} atMs={rolled.endsAtMs} />
              </>
            )}
          </p>
        )}
      </section>
      <p>
        <a class="button" href={`/dashboard/${call.environment}/keys`}>
          {text.iHaveIt}
        </a>
      </p>
    </Frame>
  );
}
