import type { ComponentChildren } from 'preact';
import {
  type GrantedPermissions,
  KEY_PERMISSIONS,
  type KeyPermission,
} from '../../../src/merchants/key-permissions.ts';
import { KEY_NAME_LENGTH_MAX } from '../../../src/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/merchants/keys.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { DoneMessage, ProblemList, Section, Table, TextField, When } from '../../ui/elements.tsx';
import { type DashboardCall, may, mayChange } from '../call.ts';
import { Frame } from '../frame.tsx';
import { keysPath } from '../paths.ts';
import { FormConfirmedInProduction } from '../people/passkey-form.tsx';
import {
  type CreateProblem,
  isAboutAccess,
  keyProblems,
  mayGrant,
  newFormId,
  permissionField,
} from './key-form.ts';
import { isOver, KeyState } from './key-state.tsx';

/** Every member sees names and last characters; developers get the forms. */
export function KeysPage(props: {
  readonly call: DashboardCall;
  readonly keys: readonly ApiKeyView[];
  readonly name?: string;
  readonly problem?: CreateProblem;
}) {
  const { call, keys, name = '', problem } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  const { done } = text;
  const isDeveloper = may(call, 'develop');
  const columns = [text.name, text.key, text.created, text.lastUsed, text.state];
  return (
    <Frame call={call} title={text.title} active="keys">
      <DoneMessage call={call} texts={{ renamed: done.renamed, revoked: done.revoked }} />
      <ProblemList call={call} problems={problem === undefined ? [] : [summary(call, problem)]} />
      <p>{text.lead}</p>
      <Table
        caption={text.title}
        columns={isDeveloper ? [...columns, text.actions] : columns}
        rows={keys.map((key) => keyCells(call, key, isDeveloper))}
        empty={text.empty}
      />
      {mayChange(call, 'develop') && (
        <Section id="create" title={text.createTitle}>
          <CreateForm call={call} name={name} problem={problem} />
        </Section>
      )}
    </Frame>
  );
}

/** A problem of the whole list links to no field. */
function isAboutList(problem: CreateProblem): boolean {
  return problem === 'too_many' || problem === 'sent_twice' || problem === 'unconfirmed';
}

function summary({ language }: DashboardCall, problem: CreateProblem) {
  const field = isAboutAccess(problem) ? '#access-restricted' : '#name';
  return [isAboutList(problem) ? null : field, keyProblems(language)[problem]] as const;
}

function CreateForm(props: {
  readonly call: DashboardCall;
  readonly name: string;
  readonly problem: CreateProblem | undefined;
}) {
  const { call, name, problem } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  const isOfName = problem !== undefined && !isAboutList(problem) && !isAboutAccess(problem);
  const error = isOfName ? keyProblems(call.language)[problem] : null;
  return (
    <KeyForm call={call} path={keysPath(call.environment)}>
      <KeyNameField call={call} name={name} error={error} />
      <PermissionFields call={call} granted={null} />
      <div class="buttons">
        <button class="primary" type="submit">
          {text.create}
        </button>
      </div>
    </KeyForm>
  );
}

/** Creates a key: once, and in production with the member's passkey. */
export function KeyForm(props: {
  readonly call: DashboardCall;
  readonly path: string;
  readonly children: ComponentChildren;
}) {
  const { call, path, children } = props;
  return (
    <FormConfirmedInProduction
      call={call}
      ceremony="api-key"
      path={path}
      hint={DASHBOARD_TEXTS[call.language].keys.confirmHint}
      fields={{ form: newFormId() }}
      once
    >
      {children}
    </FormConfirmedInProduction>
  );
}

/**
 * The fields for what the key may do: everything, or the ticked permissions. `granted` is
 * preselected, as far as this member may grant it.
 */
export function PermissionFields(props: {
  readonly call: DashboardCall;
  readonly granted: GrantedPermissions;
}) {
  const { call } = props;
  const text = DASHBOARD_TEXTS[call.language].keys;
  const isRefundable = mayGrant(call, null);
  const granted = isRefundable ? props.granted : (props.granted ?? KEY_PERMISSIONS);
  const isGrantable = (permission: KeyPermission) => mayGrant(call, [permission]);
  return (
    <fieldset>
      <legend>{text.access}</legend>
      <label class="choice">
        <input
          type="radio"
          name="access"
          value="full"
          checked={granted === null}
          disabled={!isRefundable}
        />
        {text.fullAccess}
      </label>
      <label class="choice">
        <input
          type="radio"
          name="access"
          id="access-restricted"
          value="restricted"
          checked={granted !== null}
        />
        {text.restrictedAccess}
      </label>
      {KEY_PERMISSIONS.map((permission) => (
        <label class="choice">
          <input
            type="checkbox"
            name={permissionField(permission)}
            value="yes"
            checked={granted?.includes(permission) === true && isGrantable(permission)}
            disabled={!isGrantable(permission)}
          />
          {text.permissions[permission]}
        </label>
      ))}
      {!isRefundable && <p class="hint">{text.refundsByOwner}</p>}
    </fieldset>
  );
}

/** What a key may do, in words. */
export function permissionText(call: DashboardCall, granted: GrantedPermissions): string {
  const text = DASHBOARD_TEXTS[call.language].keys;
  return granted === null
    ? text.full
    : granted.map((permission) => text.permissions[permission]).join(', ');
}

export function KeyNameField(props: {
  readonly call: DashboardCall;
  readonly name: string;
  readonly error: string | null;
}) {
  const { name, nameHint } = DASHBOARD_TEXTS[props.call.language].keys;
  return (
    <TextField
      id="name"
      label={name}
      hint={nameHint}
      error={props.error}
      value={props.name}
      maxlength={KEY_NAME_LENGTH_MAX}
    />
  );
}

function keyCells(call: DashboardCall, key: ApiKeyView, isDeveloper: boolean) {
  const text = DASHBOARD_TEXTS[call.language].keys;
  const cells = [
    <span>
      <bdi>{key.name}</bdi>
      <span class="quiet small"> {permissionText(call, key.permissions)}</span>
    </span>,
    <code>{key.label}</code>,
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
  if (!isDeveloper) {
    return cells;
  }
  const label = `${text.manage}: ${key.name} …${key.hint}`;
  return [
    ...cells,
    isOver(key, call.nowMs) ? (
      <span class="quiet">—</span>
    ) : (
      <a class="button" href={keysPath(call.environment, `/${key.digest}`)} aria-label={label}>
        {text.manage}
      </a>
    ),
  ];
}
