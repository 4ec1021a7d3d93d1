import type { AuditRecord } from '../../src/audit/read.ts';
import { METHODS } from '../../src/domain/method.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import type { PageView } from '../ui/page.tsx';
import { detailRows } from './audit-detail.ts';
import { operatorText } from './operator-text.ts';

type Call = Pick<PageView, 'language'>;

interface Props {
  readonly call: Call;
  readonly entry: AuditRecord;
}

/** Who acted. */
export function AuditActor({ call, entry }: Props) {
  const { actorName, isActorProved } = entry;
  const name =
    isActorProved === null ? actorName : operatorText(call.language, actorName, isActorProved);
  return (
    <span>
      <bdi>{name}</bdi>
      {entry.actorKind !== 'member' && (
        <span class="quiet small">
          {' '}
          (
          {
            DASHBOARD_TEXTS[call.language].audit[
              entry.actorKind === 'operator' ? 'operator' : 'apiKey'
            ]
          }
          )
        </span>
      )}
    </span>
  );
}

/** The action, in which environment, and what it changed. */
export function AuditAct({ call, entry }: Props) {
  const { frame } = DASHBOARD_TEXTS[call.language];
  return (
    <span>
      {actionText(call, entry.action)}
      {entry.environment !== null && (
        <span class="quiet small"> ({frame.environment[entry.environment]})</span>
      )}
      {entry.target !== null && (
        <>
          {' '}
          <Target call={call} target={entry.target} />
        </>
      )}
    </span>
  );
}

/** An unknown action, from a newer version, is shown by its name. */
export function actionText(call: Call, action: string): string {
  const { actions } = DASHBOARD_TEXTS[call.language].audit;
  return Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : action;
}

function Target(props: { readonly call: Call; readonly target: string }) {
  const method = METHODS.find((known) => known === props.target);
  return method === undefined ? (
    <code class="small">{props.target}</code>
  ) : (
    <strong>{CHECKOUT_TEXTS[props.call.language].methodName[method]}</strong>
  );
}

/** The details of the action, one per line. */
export function AuditDetail(props: Props) {
  const rows = detailRows(props.entry, props.call.language);
  return rows.length === 0 ? (
    <span class="quiet">—</span>
  ) : (
    <ul class="plain-list small">
      {rows.map(([label, value]) => (
        <li>
          <span class="quiet">{label}:</span> <bdi>{value}</bdi>
        </li>
      ))}
    </ul>
  );
}
