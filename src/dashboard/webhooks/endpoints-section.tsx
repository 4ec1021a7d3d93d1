import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { isAllowed } from '../../members/permissions.ts';
import { Badge, Table, When } from '../../ui/elements.tsx';
import type { Endpoint } from '../../webhooks/endpoints.ts';
import type { DashboardCall } from '../call.ts';
import { ButtonForm } from '../forms.tsx';
import { webhooksPath } from '../paths.ts';

/** The endpoints that fail just now, and the button that lets a paused one go on. */
export function EndpointsSection(props: {
  readonly call: DashboardCall;
  readonly endpoints: readonly Endpoint[];
}) {
  const { call, endpoints } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const mayResume = isAllowed(call.session.role, 'develop');
  return (
    <section class="card">
      <h2>{text.endpoints}</h2>
      <p class="hint">{text.endpointsHint}</p>
      <Table
        caption={text.endpoints}
        columns={[text.endpoint, text.endpointState, text.failingSince, text.lastError]}
        rows={endpoints.map((endpoint) => [
          <strong>{endpoint.origin}</strong>,
          <State call={call} endpoint={endpoint} mayResume={mayResume} />,
          <When call={call} atMs={endpoint.failingSinceMs} />,
          <code lang="en">{endpoint.lastError}</code>,
        ])}
        empty=""
      />
    </section>
  );
}

function State(props: {
  readonly call: DashboardCall;
  readonly endpoint: Endpoint;
  readonly mayResume: boolean;
}) {
  const { call, endpoint, mayResume } = props;
  const { origin, pausedAtMs } = endpoint;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  if (pausedAtMs === null) {
    return <Badge tone="wait">{text.failing}</Badge>;
  }
  return (
    <div class="stack">
      <Badge tone="bad">{text.paused}</Badge>
      <span class="small">
        {text.pausedSince} <When call={call} atMs={pausedAtMs} />
      </span>
      {mayResume && (
        <ButtonForm
          call={call}
          action={webhooksPath(call.environment, '/endpoints/resume')}
          label={text.resume}
          describedAs={text.resumeOf(origin)}
          fields={{ origin }}
        />
      )}
    </div>
  );
}
