import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { apiKeyLabel } from '../../merchants/api-key.ts';
import { type ApiKeyView, KEY_NAME_LENGTH_MAX } from '../../merchants/keys.ts';
import { Facts, Field, Message, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { keyProblems, newFormId, OVERLAPS_MS, type Overlap } from './key-form.ts';
import { isOver, isRollable, KeyState } from './key-state.tsx';
import type { RefusedChange } from './pages.tsx';

interface KeyPageProps {
  readonly call: DashboardCall;
  readonly apiKey: ApiKeyView;
  readonly refused: RefusedChange;
}

/** One key, and what can be done with it: another name, another key in its place, its end. */
export function KeyPage({ call, apiKey, refused }: KeyPageProps) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const canChange = !call.session.isSuspended && !isOver(apiKey, call.nowMs);
  return (
    <Frame call={call} title={`${text.oneTitle}: ${apiKey.name}`} active="keys">
      <Problems call={call} refused={refused} />
      <section class="card" aria-label={text.oneTitle}>
        <Facts
          rows={[
            [text.key, <code>{apiKeyLabel(call.environment, apiKey.hint)}</code>],
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
        <a href={`/dashboard/${call.environment}/keys`}>{text.allKeys}</a>
      </p>
    </Frame>
  );
}

function Problems({ call, refused }: Pick<KeyPageProps, 'call' | 'refused'>) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const { nameProblem, rollProblem } = refused;
  if (nameProblem === undefined && rollProblem === undefined) {
    return null;
  }
  return (
    <Message tone="bad">
      <p>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</p>
      {nameProblem !== undefined && (
        <p>
          <a href="#name">{keyProblems(call.language)[nameProblem]}</a>
        </p>
      )}
      {rollProblem === 'overlap' && (
        <p>
          <a href="#overlap-none">{text.problem.overlap}</a>
        </p>
      )}
      {rollProblem !== undefined && rollProblem !== 'overlap' && (
        <p>{keyProblems(call.language)[rollProblem]}</p>
      )}
    </Message>
  );
}

/** What is chosen unless one chooses otherwise: a day, enough to roll out a change with care. */
const OVERLAP_CHOSEN: Overlap = 'day';

function RollForm({ call, apiKey, refused }: KeyPageProps) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const isInvalid = refused.rollProblem === 'overlap' ? 'true' : undefined;
  return (
    <section class="card" aria-labelledby="roll">
      <h2 id="roll">{text.rollTitle}</h2>
      <p>{text.rollLead}</p>
      <form class="form" method="post" action={`${pathOf(call, apiKey)}/roll`} data-once>
        <CsrfField session={call.session} />
        <input type="hidden" name="form" value={newFormId()} />
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
        <div class="buttons">
          <button class="primary" type="submit">
            {text.roll}
          </button>
        </div>
      </form>
    </section>
  );
}

function RenameForm({ call, apiKey, refused }: KeyPageProps) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const { nameProblem } = refused;
  return (
    <section class="card" aria-labelledby="rename">
      <h2 id="rename">{text.renameTitle}</h2>
      <form class="form" method="post" action={`${pathOf(call, apiKey)}/name`}>
        <CsrfField session={call.session} />
        <Field
          id="name"
          label={text.name}
          hint={text.nameHint}
          error={nameProblem === undefined ? null : keyProblems(call.language)[nameProblem]}
        >
          {(attributes) => (
            <input
              type="text"
              name="name"
              value={refused.name ?? apiKey.name}
              required
              maxLength={KEY_NAME_LENGTH_MAX}
              autocomplete="off"
              {...attributes}
            />
          )}
        </Field>
        <div class="buttons">
          <button type="submit">{text.rename}</button>
        </div>
      </form>
    </section>
  );
}

function Revoke({ call, apiKey }: Omit<KeyPageProps, 'refused'>) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  return (
    <section class="card" aria-labelledby="revoke">
      <h2 id="revoke">{text.revokeTitle}</h2>
      <p>{text.revokeLead}</p>
      <ButtonForm
        call={call}
        action={`${pathOf(call, apiKey)}/revoke`}
        label={text.revoke}
        tone="bad"
        confirm={text.revokeConfirm}
      />
    </section>
  );
}

function pathOf(call: DashboardCall, { digest }: ApiKeyView): string {
  return `/dashboard/${call.environment}/keys/${digest}`;
}
