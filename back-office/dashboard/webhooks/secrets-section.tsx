import { countText } from '../../../src/i18n/money-text.ts';
import {
  mayEnd,
  OVERLAP_HOURS,
  OVERLAP_HOURS_DEFAULT,
  SECRETS_MAX,
  type SecretEntry,
} from '../../../src/webhooks/secret-rules.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { CopyText, Message, SelectField, Table, When } from '../../ui/elements.tsx';
import { type DashboardCall, may } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { PasskeyProblem, passkeyData } from '../people/passkey-form.tsx';

export interface SecretsState {
  /** A secret in clear text: only in the answer to the post that asked for it. */
  readonly shown?: { readonly id: string; readonly value: string; readonly isNew: boolean };
  readonly problem?: 'tooMany' | 'badOverlap' | 'unreadable' | 'cannotEnd' | 'unconfirmed';
}

interface Props {
  readonly call: DashboardCall;
  readonly secrets: readonly SecretEntry[];
  readonly state: SecretsState | undefined;
  /** Of the forms about these secrets. */
  readonly path: string;
  readonly hint: string;
}

/** The signing secrets in force. Developers show, add and end them. */
export function SecretsSection({ call, secrets, state, path, hint }: Props) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const mayDevelop = may(call, 'develop');
  return (
    <section class="card" id="secrets">
      <h2>{text.secretsTitle}</h2>
      <p class="hint">{hint}</p>
      <Problem call={call} state={state} />
      {state?.shown !== undefined && (
        <div class="stack">
          {state.shown.isNew && <Message tone="good">{text.rotated}</Message>}
          <CopyText
            call={call}
            id="shown-secret"
            label={text.shown(state.shown.id)}
            value={state.shown.value}
          />
          <p class="hint">{text.shownHint}</p>
        </div>
      )}
      <Table
        caption={text.secretsTitle}
        columns={[text.secret, text.created, text.expires, ...(mayDevelop ? [text.actions] : [])]}
        rows={secrets.map((secret, index) => [
          <span>
            <code>{secret.id}</code>
            {index === 0 && ` (${text.secretNewest})`}
          </span>,
          <When call={call} atMs={secret.createdAtMs} />,
          secret.expiresAtMs === null ? text.never : <When call={call} atMs={secret.expiresAtMs} />,
          ...(mayDevelop
            ? [<Actions call={call} secret={secret} secrets={secrets} path={path} />]
            : []),
        ])}
        empty={text.noSecrets}
      />
      {mayDevelop && call.environment === 'production' && (
        <>
          <p class="hint">{text.secretConfirmHint}</p>
          <PasskeyProblem ceremony={CEREMONY} />
        </>
      )}
      {mayDevelop && <NewSecret call={call} state={state} path={path} />}
    </section>
  );
}

const CEREMONY = 'webhook-secret';

/** For the script: production asks for the member's passkey. */
function confirmation(call: DashboardCall, path: string) {
  return call.environment === 'sandbox'
    ? undefined
    : passkeyData({ call, ceremony: CEREMONY, path });
}

/** `badOverlap` is shown at its field instead. */
function Problem({ call, state }: Pick<Props, 'call' | 'state'>) {
  const problem = state?.problem;
  if (problem === undefined || problem === 'badOverlap') {
    return null;
  }
  const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
  const most = countText(SECRETS_MAX, frame.locale);
  return <Message tone="bad">{problem === 'tooMany' ? text.tooMany(most) : text[problem]}</Message>;
}

function Actions(props: {
  readonly call: DashboardCall;
  readonly secret: SecretEntry;
  readonly secrets: readonly SecretEntry[];
  readonly path: string;
}) {
  const { call, secret, secrets } = props;
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  const path = (rest: string) => `${props.path}/${encodeURIComponent(secret.id)}/${rest}`;
  return (
    <div class="buttons">
      <ButtonForm
        call={call}
        action={`${path('show')}#secrets`}
        label={text.show}
        describedAs={text.showOf(secret.id)}
        data={confirmation(call, path('show'))}
      />
      {mayEnd(secret, secrets) && (
        <ButtonForm
          call={call}
          action={`${path('end')}#secrets`}
          label={text.endNow}
          describedAs={text.endOf(secret.id)}
          tone="bad"
          confirm={text.endConfirm}
        />
      )}
    </div>
  );
}

function NewSecret({ call, state, path }: Pick<Props, 'call' | 'state' | 'path'>) {
  const text = DASHBOARD_TEXTS[call.language].webhooks;
  return (
    <PostForm
      call={call}
      class="form"
      action={`${path}#secrets`}
      confirm={text.rotateConfirm}
      once={true}
      data={confirmation(call, path)}
    >
      <h3>{text.rotateTitle}</h3>
      <SelectField
        id="overlap"
        name="overlapHours"
        label={text.overlap}
        options={OVERLAP_HOURS.map((hours) => [hours, text.overlaps[hours]])}
        selected={OVERLAP_HOURS_DEFAULT}
        error={state?.problem === 'badOverlap' ? text.badOverlap : null}
      />
      <div class="buttons">
        <button type="submit">{text.rotate}</button>
      </div>
    </PostForm>
  );
}
