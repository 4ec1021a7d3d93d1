import {
  isRollable,
  type NameProblem,
  OVERLAPS_MS,
  type Overlap,
} from '../../../src/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/merchants/keys.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { CopyText, Facts, Message, ProblemList, Section, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { keysPath } from '../paths.ts';
import { isAboutAccess, keyProblems, type RollProblem } from './key-form.ts';
import { isOver, KeyState } from './key-state.tsx';
import { KeyForm, KeyNameField, PermissionFields, permissionText } from './keys-page.tsx';

/** A rejected form's values, and why it was rejected. */
export interface RefusedChange {
  /** As typed. */
  readonly name?: string;
  readonly nameProblem?: NameProblem;
  readonly rollProblem?: RollProblem;
}

interface KeyPageProps {
  readonly call: DashboardCall;
  readonly apiKey: ApiKeyView;
  readonly refused: RefusedChange;
}

/** One key, with forms to rename, roll and revoke it. */
export function KeyPage({ call, apiKey, refused }: KeyPageProps) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const canChange = !call.session.isSuspended && !isOver(apiKey, call.nowMs);
  return (
    <Frame call={call} title={`${text.oneTitle}: ${apiKey.name}`} active="keys">
      <ProblemList call={call} problems={problemsOf(call, refused)} />
      <section class="card" aria-label={text.oneTitle}>
        <Facts
          rows={[
            [text.key, <code>{apiKey.label}</code>],
            [text.access, permissionText(call, apiKey.permissions)],
            [text.state, <KeyState call={call} apiKey={apiKey} />],
            [text.created, <When call={call} atMs={apiKey.createdAtMs} />],
            [text.createdBy, <bdi>{apiKey.createdBy ?? text.operator}</bdi>],
            [
              text.lastUsed,
              apiKey.lastUsedAtMs === null ? (
                text.never
              ) : (
                <When call={call} atMs={apiKey.lastUsedAtMs} />
              ),
            ],
          ]}
        />
      </section>
      {canChange && isRollable(apiKey) && (
        <RollForm call={call} apiKey={apiKey} refused={refused} />
      )}
      {canChange && <RenameForm call={call} apiKey={apiKey} refused={refused} />}
      {canChange && <Revoke call={call} apiKey={apiKey} />}
      <p>
        <a href={keysPath(call.environment)}>{text.allKeys}</a>
      </p>
    </Frame>
  );
}

function problemsOf({ language }: DashboardCall, refused: RefusedChange) {
  const { nameProblem, rollProblem } = refused;
  const texts = keyProblems(language);
  return [
    ...(nameProblem === undefined ? [] : [['#name', texts[nameProblem]] as const]),
    ...(rollProblem === undefined ? [] : [[rollField(rollProblem), texts[rollProblem]] as const]),
  ];
}

function rollField(problem: RollProblem): `#${string}` | null {
  if (isAboutAccess(problem)) {
    return '#access-restricted';
  }
  return problem === 'overlap' ? '#overlap-none' : null;
}

/** The default overlap: a day, enough for a careful rollout. */
const OVERLAP_CHOSEN: Overlap = 'day';

function RollForm({ call, apiKey, refused }: KeyPageProps) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const isInvalid = refused.rollProblem === 'overlap' ? 'true' : undefined;
  return (
    <Section id="roll" title={text.rollTitle}>
      <p>{text.rollLead}</p>
      <KeyForm call={call} path={keysPath(call.environment, `/${apiKey.digest}/roll`)}>
        <fieldset aria-invalid={isInvalid}>
          <legend>{text.overlap}</legend>
          {(Object.keys(OVERLAPS_MS) as Overlap[]).map((overlap) => (
            <label class="choice">
              <input
                type="radio"
                name="overlap"
                id={`overlap-${overlap}`}
                value={overlap}
                checked={overlap === OVERLAP_CHOSEN}
              />
              {text.overlaps[overlap]}
            </label>
          ))}
        </fieldset>
        <PermissionFields call={call} granted={apiKey.permissions} />
        <div class="buttons">
          <button class="primary" type="submit">
            {text.roll}
          </button>
        </div>
      </KeyForm>
    </Section>
  );
}

function RenameForm({ call, apiKey, refused }: KeyPageProps) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const { nameProblem } = refused;
  return (
    <Section id="rename" title={text.renameTitle}>
      <PostForm
        call={call}
        action={keysPath(call.environment, `/${apiKey.digest}/name`)}
        class="form"
      >
        <KeyNameField
          call={call}
          name={refused.name ?? apiKey.name}
          error={nameProblem === undefined ? null : keyProblems(call.language)[nameProblem]}
        />
        <div class="buttons">
          <button type="submit">{text.rename}</button>
        </div>
      </PostForm>
    </Section>
  );
}

function Revoke({ call, apiKey }: Omit<KeyPageProps, 'refused'>) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  return (
    <Section id="revoke" title={text.revokeTitle}>
      <p>{text.revokeLead}</p>
      <ButtonForm
        call={call}
        action={keysPath(call.environment, `/${apiKey.digest}/revoke`)}
        label={text.revoke}
        tone="bad"
        confirm={text.revokeConfirm}
      />
    </Section>
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
  readonly call: DashboardCall;
  readonly name: string;
  readonly apiKey: string;
  readonly rolled: RolledKey | null;
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
        <a class="button" href={keysPath(call.environment)}>
          {text.iHaveIt}
        </a>
      </p>
    </Frame>
  );
}
