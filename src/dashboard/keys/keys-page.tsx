import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { isAllowed } from '../../members/permissions.ts';
import { apiKeyLabel } from '../../merchants/api-key.ts';
import { type ApiKeyView, KEY_NAME_LENGTH_MAX } from '../../merchants/keys.ts';
import { Field, Message, Table, When } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { keyProblems, newFormId } from './key-form.ts';
import { isOver, KeyState } from './key-state.tsx';
import type { CreateProblem } from './pages.tsx';

/** Everyone sees names and last characters; who may change keys gets the forms. */
export function KeysPage(props: {
  readonly call: DashboardCall;
  readonly keys: readonly ApiKeyView[];
  readonly name?: string;
  readonly problem?: CreateProblem;
}) {
  const { call, keys, name = '', problem } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  const mayChange = isAllowed(call.session.role, 'develop');
  const columns = [text.name, text.key, text.created, text.lastUsed, text.state];
  return (
    <Frame call={call} title={text.title} active="keys">
      <Done call={call} />
      {problem !== undefined && <Problem call={call} problem={problem} />}
      <p>{text.lead}</p>
      <Table
        caption={text.title}
        columns={mayChange ? [...columns, text.actions] : columns}
        rows={keys.map((key) => keyCells(call, key, mayChange))}
        empty={text.empty}
      />
      {mayChange && !call.session.isSuspended && (
        <section class="card" aria-labelledby="create">
          <h2 id="create">{text.createTitle}</h2>
          <CreateForm call={call} name={name} problem={problem} />
        </section>
      )}
    </Frame>
  );
}

function Done({ call }: { readonly call: DashboardCall }) {
  const { done } = DASHBOARD_TEXTS[call.language].keys;
  const word = call.url.searchParams.get('done');
  if (word !== 'renamed' && word !== 'revoked') {
    return null;
  }
  return <Message tone="good">{done[word]}</Message>;
}

function Problem(props: { readonly call: DashboardCall; readonly problem: CreateProblem }) {
  const { call, problem } = props;
  const text = keyProblems(call.language)[problem];
  const isAboutName = problem !== 'too_many' && problem !== 'sent_twice';
  return (
    <Message tone="bad">
      <p>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</p>
      <p>{isAboutName ? <a href="#name">{text}</a> : text}</p>
    </Message>
  );
}

function CreateForm(props: {
  readonly call: DashboardCall;
  readonly name: string;
  readonly problem: CreateProblem | undefined;
}) {
  const { call, name, problem } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  const isAboutName = problem !== undefined && problem !== 'too_many' && problem !== 'sent_twice';
  return (
    <form class="form" method="post" action={`/dashboard/${call.environment}/keys`} data-once>
      <CsrfField session={call.session} />
      <input type="hidden" name="form" value={newFormId()} />
      <Field
        id="name"
        label={text.name}
        hint={text.nameHint}
        error={isAboutName ? keyProblems(call.language)[problem] : null}
      >
        {(attributes) => (
          <input
            type="text"
            name="name"
            value={name}
            required
            maxLength={KEY_NAME_LENGTH_MAX}
            autocomplete="off"
            {...attributes}
          />
        )}
      </Field>
      <div class="buttons">
        <button class="primary" type="submit">
          {text.create}
        </button>
      </div>
    </form>
  );
}

function keyCells(call: DashboardCall, key: ApiKeyView, mayChange: boolean) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const cells = [
    <bdi>{key.name}</bdi>,
    <code>{apiKeyLabel(call.environment, key.hint)}</code>,
    <span>
      <When call={call} atMs={key.createdAtMs} />
      {key.createdBy !== null && (
        <span class="quiet small">
          {' '}
          {text.by} <bdi>{key.createdBy}</bdi>
        </span>
      )}
    </span>,
    key.lastUsedAtMs === null ? (
      <span class="quiet">{text.never}</span>
    ) : (
      <When call={call} atMs={key.lastUsedAtMs} />
    ),
    <KeyState call={call} apiKey={key} />,
  ];
  if (!mayChange) {
    return cells;
  }
  const label = `${text.manage}: ${key.name} …${key.hint}`;
  return [
    ...cells,
    isOver(key, call.nowMs) ? (
      <span class="quiet">—</span>
    ) : (
      <a
        class="button"
        href={`/dashboard/${call.environment}/keys/${key.digest}`}
        aria-label={label}
      >
        {text.manage}
      </a>
    ),
  ];
}
