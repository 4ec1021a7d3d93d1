import type { AuditRecord } from '../../src/control/audit/read.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { useDetailRows } from './audit-detail.ts';
import { useOperatorText } from './operator-text.ts';

interface Props {
  readonly entry: AuditRecord;
}

/** Who acted. */
export function AuditActor({ entry }: Props) {
  const { actorName, isActorProved } = entry;
  const name = isActorProved === null ? actorName : useOperatorText(actorName, isActorProved);
  return (
    <span>
      <bdi>{name}</bdi>
      {entry.actorKind !== 'member' && (
        <span class="quiet small">
          {' '}
          ({useTexts(DASHBOARD_TEXTS).audit[entry.actorKind === 'operator' ? 'operator' : 'apiKey']}
          )
        </span>
      )}
    </span>
  );
}

/** The action, in which environment, and what it changed. */
export function AuditAct({ entry }: Props) {
  const { frame } = useTexts(DASHBOARD_TEXTS);
  return (
    <span>
      {useActionText(entry.action)}
      {entry.environment !== null && (
        <span class="quiet small"> ({frame.environment[entry.environment]})</span>
      )}
      {entry.target !== null && (
        <>
          {' '}
          <Target target={entry.target} />
        </>
      )}
    </span>
  );
}

/** An unknown action, from a newer version, is shown by its name. */
export function useActionText(action: string): string {
  const { actions } = useTexts(DASHBOARD_TEXTS).audit;
  return Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : action;
}

function Target(props: { readonly target: string }) {
  const method = METHODS.find((known) => known === props.target);
  return method === undefined ? (
    <code class="small">{props.target}</code>
  ) : (
    <strong>{useTexts(CHECKOUT_TEXTS).methodName[method]}</strong>
  );
}

/** The details of the action, one per line. */
export function AuditDetail(props: Props) {
  const rows = useDetailRows(props.entry);
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
