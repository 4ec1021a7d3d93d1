import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { RefusedRequest } from '../../../src/lists/book/refused-requests.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Untrusted, WhenExactly } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { type DashboardCall, tenantOf, useCall } from '../call.ts';
import { DeveloperFrame } from '../developers.tsx';
import { Submit } from '../forms.tsx';
import { showPage } from '../frame.tsx';
import { requestsPath } from '../paths.ts';

/** What fills a phone's screen; the older ones are folded. */
const SHOWN_AT_ONCE = 10;

/** GET …/requests: the last refused requests of the merchant's keys, or the one with an id. */
export async function showRequests(call: DashboardCall): Promise<Response> {
  const wanted = call.url.searchParams.get('requestId')?.trim() ?? '';
  const all = await call.payments.lists.refusedRequests(tenantOf(call));
  const requests = all.filter(({ requestId }) => wanted === '' || requestId === wanted);
  return showPage(call, <RequestsPage requests={requests} wanted={wanted} />);
}

function RequestsPage(props: {
  readonly requests: readonly RefusedRequest[];
  /** The id that the member looks for, or empty. */
  readonly wanted: string;
}) {
  const { requests, wanted } = props;
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).requests;
  const older = requests.slice(SHOWN_AT_ONCE);
  return (
    <DeveloperFrame title={text.title} part="requests" head={{ lead: text.lead }}>
      {(requests.length > 0 || wanted !== '') && (
        <form class="form" action={requestsPath(environment)}>
          <TextField id="requestId" label={text.requestId} value={wanted} required={false} />
          <Submit label={text.find} isPlain />
        </form>
      )}
      {requests.length === 0 ? (
        <EmptyState title={wanted === '' ? text.none : text.notFound}>
          {wanted === '' ? text.noneLead : text.notFoundLead}
        </EmptyState>
      ) : (
        <Requests requests={requests.slice(0, SHOWN_AT_ONCE)} />
      )}
      {older.length > 0 && (
        <details class="panel">
          <summary>{text.older(String(older.length))}</summary>
          <Requests requests={older} />
        </details>
      )}
    </DeveloperFrame>
  );
}

function Requests({ requests }: { readonly requests: readonly RefusedRequest[] }) {
  const text = useTexts(DASHBOARD_TEXTS).requests;
  return (
    <ol class="card request-list">
      {requests.map(({ requestId, atMs, method, path, status, code, fields, keyName }) => (
        <li>
          <div>
            <strong>{status}</strong> <a href={`/docs/errors#${code}`}>{code}</a>
          </div>
          <code lang="en">{`${method} ${path}`}</code>
          {fields.map((field) => (
            <code lang="en">{field}</code>
          ))}
          <span class="quiet small">
            <WhenExactly atMs={atMs} /> · {text.key} <Untrusted text={keyName} />
          </span>
          <span class="quiet small">
            requestId <code lang="en">{requestId}</code>
          </span>
        </li>
      ))}
    </ol>
  );
}
