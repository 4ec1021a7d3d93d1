import { isRollable, OVERLAPS_MS, type Overlap } from '../../../src/control/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/control/merchants/keys.ts';
import type { GrantedPermissions } from '../../../src/engine/merchants/key-permissions.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { CopyText, Facts, Message, Section, When } from '../../ui/elements.tsx';
import { Choice, useProblem } from '../../ui/fields.tsx';
import { isReadOnly, useCall } from '../call.ts';
import { DeveloperFrame } from '../developers.tsx';
import { ButtonForm, PostForm, Submit } from '../forms.tsx';
import { keysPath } from '../paths.ts';
import { isOver, KeyForm, KeyNameField, KeyState, LastUse, permissionText } from './keys-page.tsx';

/** The default overlap: a day, enough for a careful rollout. */
const OVERLAP_CHOSEN: Overlap = 'day';

/** One key, with forms to rename, roll and revoke it. `name` is the one that the member typed. */
export function KeyPage(props: {
  readonly apiKey: ApiKeyView;
  readonly name: string;
  /** What the form that rolls the key offers. */
  readonly granted: GrantedPermissions;
  readonly overlap?: Overlap | undefined;
}) {
  const { apiKey, name, granted, overlap } = props;
  const call = useCall();
  const { environment, nowMs } = call;
  const text = useTexts(DASHBOARD_TEXTS).keys;
  const path = (form: string) => keysPath(environment, `/${apiKey.digest}/${form}`);
  const canChange = !isReadOnly(call) && !isOver(apiKey, nowMs);
  return (
    <DeveloperFrame title={`${text.oneTitle}: ${apiKey.name}`} part="keys">
      <section class="card" aria-label={text.oneTitle}>
        <Facts
          rows={[
            [text.key, <code>{apiKey.label}</code>],
            [text.access, permissionText(apiKey.permissions)],
            [text.state, <KeyState apiKey={apiKey} />],
            [text.created, <When atMs={apiKey.createdAtMs} />],
            [text.createdBy, <bdi>{apiKey.createdBy ?? text.operator}</bdi>],
            [text.lastUsed, <LastUse apiKey={apiKey} />],
          ]}
        />
      </section>
      {canChange && isRollable(apiKey) && (
        <Section id="roll" title={text.rollTitle}>
          <p>{text.rollLead}</p>
          <KeyForm path={path('roll')} button={text.roll} granted={granted}>
            <OverlapChoice chosen={overlap} />
          </KeyForm>
        </Section>
      )}
      {canChange && (
        <>
          <Section id="rename" title={text.renameTitle}>
            <PostForm action={path('name')} class="form">
              <KeyNameField name={name} />
              <Submit label={text.rename} isPlain />
            </PostForm>
          </Section>
          <Section id="revoke" title={text.revokeTitle}>
            <p>{text.revokeLead}</p>
            <ButtonForm
              action={path('revoke')}
              label={text.revoke}
              tone="bad"
              confirm={text.revokeConfirm}
            />
          </Section>
        </>
      )}
      <p>
        <a href={keysPath(environment)}>{text.allKeys}</a>
      </p>
    </DeveloperFrame>
  );
}

function OverlapChoice({ chosen = OVERLAP_CHOSEN }: { readonly chosen?: Overlap | undefined }) {
  const text = useTexts(DASHBOARD_TEXTS).keys;
  return (
    <fieldset aria-invalid={useProblem('overlap-none') === null ? undefined : 'true'}>
      <legend>{text.overlap}</legend>
      {(Object.keys(OVERLAPS_MS) as Overlap[]).map((overlap) => (
        <Choice
          type="radio"
          name="overlap"
          id={`overlap-${overlap}`}
          value={overlap}
          checked={overlap === chosen}
        >
          {text.overlaps[overlap]}
        </Choice>
      ))}
    </fieldset>
  );
}

/** The key that was rolled. */
export interface RolledKey {
  readonly hint: string;
  /** Null when it ends immediately. */
  readonly endsAtMs: number | null;
}

/** A new key in clear text. */
export function NewKeyPage(props: {
  readonly name: string;
  readonly apiKey: string;
  readonly rolled: RolledKey | null;
}) {
  const call = useCall();
  const { name, apiKey, rolled } = props;
  const text = useTexts(DASHBOARD_TEXTS).keys;
  return (
    <DeveloperFrame title={`${text.newTitle}: ${name}`} part="keys">
      <Message tone="good">{rolled === null ? text.done.created : text.done.rolled}</Message>
      <section class="card">
        <CopyText id="api-key" label={text.newLabel} value={apiKey} />
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
                {text.oldEnds} <When atMs={rolled.endsAtMs} />
              </>
            )}
          </p>
        )}
      </section>
      <p>
        <a class="button" href={keysPath(call.environment)}>
          {text.iHaveIt}
        </a>
      </p>
    </DeveloperFrame>
  );
}
