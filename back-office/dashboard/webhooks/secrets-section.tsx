import {
  mayEnd,
  OVERLAP_HOURS,
  OVERLAP_HOURS_DEFAULT,
  type SecretEntry,
} from '../../../src/engine/webhooks/secret-rules.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { CopyText, Fold, Message, When } from '../../ui/elements.tsx';
import { SelectField, useProblem } from '../../ui/fields.tsx';
import { may, useCall } from '../call.ts';
import { ButtonForm, PostForm, Submit } from '../forms.tsx';
import { List } from '../list.tsx';
import { PasskeyProblem, passkeyData } from '../people/passkey-form.tsx';

export interface SecretsState {
  /** A secret in clear text: only in the answer to the post that asked for it. */
  readonly shown?: { readonly id: string; readonly value: string; readonly isNew: boolean };
  readonly problem?: string;
}

/** The signing secrets in force. Developers show, add and end them. */
export function SecretsSection(props: {
  readonly secrets: readonly SecretEntry[];
  readonly state: SecretsState | undefined;
  /** The path of the forms about these secrets. */
  readonly path: string;
}) {
  const { secrets, state: { shown, problem } = {}, path } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const mayDevelop = may(call, 'develop');
  const hasProblem = useProblem('overlap') !== null;
  return (
    <section class="card" id="secrets">
      <h2>{text.secretsTitle}</h2>
      <p class="hint">{text.secretsHint}</p>
      {problem !== undefined && <Message tone="bad">{problem}</Message>}
      {shown !== undefined && (
        <div class="stack">
          {shown.isNew && (
            <Message tone="good">{secrets.length > 1 ? text.rotated : text.firstSecret}</Message>
          )}
          <CopyText id="shown-secret" label={text.shown(shown.id)} value={shown.value} />
          <p class="hint">{text.shownHint}</p>
        </div>
      )}
      <List
        title={text.secretsTitle}
        rows={secrets}
        empty={text.noSecrets}
        columns={[
          [
            text.secret,
            ({ id }, index) => (
              <span>
                <code>{id}</code>
                {index === 0 && ` (${text.secretNewest})`}
              </span>
            ),
          ],
          [text.created, ({ createdAtMs }) => <When atMs={createdAtMs} />],
          [
            text.expires,
            ({ expiresAtMs }) => (expiresAtMs === null ? text.never : <When atMs={expiresAtMs} />),
          ],
          mayDevelop
            ? [text.actions, (secret) => <Actions secret={secret} secrets={secrets} path={path} />]
            : null,
        ]}
      />
      {mayDevelop && call.environment === 'production' && (
        <>
          <p class="hint">{text.secretConfirmHint}</p>
          <PasskeyProblem ceremony={CEREMONY} />
        </>
      )}
      {mayDevelop &&
        (secrets.length === 0 ? (
          <FirstSecret path={path} />
        ) : (
          <Fold summary={text.rotateTitle} isOpen={hasProblem}>
            <NewSecret path={path} />
          </Fold>
        ))}
    </section>
  );
}

const CEREMONY = 'webhook-secret';

/** For the script: production asks for the member's passkey. */
function confirmation(path: string) {
  const call = useCall();
  return call.environment === 'sandbox' ? undefined : passkeyData({ ceremony: CEREMONY, path });
}

function Actions(props: {
  readonly secret: SecretEntry;
  readonly secrets: readonly SecretEntry[];
  readonly path: string;
}) {
  const { secret, secrets } = props;
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  const path = (rest: string) => `${props.path}/${encodeURIComponent(secret.id)}/${rest}`;
  return (
    <div class="buttons">
      <ButtonForm
        action={`${path('show')}#secrets`}
        label={text.show}
        describedAs={text.showOf(secret.id)}
        data={confirmation(path('show'))}
      />
      {mayEnd(secret, secrets) && (
        <ButtonForm
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

/** Without an older one, which could go on for a while. */
function FirstSecret({ path }: { readonly path: string }) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <PostForm
      action={`${path}#secrets`}
      fields={{ overlapHours: '0' }}
      once={true}
      data={confirmation(path)}
    >
      <Submit label={text.createSecret} isPlain />
    </PostForm>
  );
}

function NewSecret({ path }: { readonly path: string }) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <PostForm
      class="form"
      action={`${path}#secrets`}
      confirm={{ question: text.rotateConfirm, action: text.rotate }}
      once={true}
      data={confirmation(path)}
    >
      <SelectField
        id="overlap"
        name="overlapHours"
        label={text.overlap}
        options={OVERLAP_HOURS.map((hours) => [hours, text.overlaps[hours]])}
        selected={OVERLAP_HOURS_DEFAULT}
      />
      <Submit label={text.rotate} isPlain />
    </PostForm>
  );
}
