import { isRollable, KEY_NAME_LENGTH_MAX } from '../../../src/control/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/control/merchants/keys.ts';
import {
  type GrantedPermissions,
  grants,
  KEY_PERMISSIONS,
  type KeyPermission,
} from '../../../src/engine/merchants/key-permissions.ts';
import { base64UrlFromBytes } from '../../../src/kit/crypto/encoding.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Badge, Section, When } from '../../ui/elements.tsx';
import { Choice, FieldError, TextField, useProblem } from '../../ui/fields.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { type DashboardCall, may, mayChange, useCall } from '../call.ts';
import { DeveloperFrame } from '../developers.tsx';
import { Submit } from '../forms.tsx';
import { List } from '../list.tsx';
import { keysPath } from '../paths.ts';
import { FormConfirmedInProduction } from '../people/passkey-form.tsx';

/** Every member sees names and last characters; developers get the forms. */
export function KeysPage(props: {
  readonly keys: readonly ApiKeyView[];
  /** What the member typed and ticked in a rejected form. */
  readonly name: string;
  readonly granted: GrantedPermissions;
}) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).keys;
  const { renamed, revoked } = text.done;
  return (
    <DeveloperFrame title={text.title} part="keys" done={{ renamed, revoked }}>
      <p>{text.lead}</p>
      <List
        title={text.title}
        rows={props.keys}
        empty={
          <EmptyState
            title={text.empty}
            action={
              mayChange(call, 'develop') && (
                <a class="button primary" href="#create">
                  {text.createTitle}
                </a>
              )
            }
          >
            {text.emptyLead}
          </EmptyState>
        }
        columns={[
          [text.name, (key) => <KeyName apiKey={key} />],
          [text.key, (key) => <code>{key.label}</code>],
          [text.created, (key) => <Creation apiKey={key} />],
          [text.lastUsed, (key) => <LastUse apiKey={key} />],
          [text.state, (key) => <KeyState apiKey={key} />],
          may(call, 'develop') ? [text.actions, (key) => <ManageLink apiKey={key} />] : null,
        ]}
      />
      {mayChange(call, 'develop') && (
        <Section id="create" title={text.createTitle}>
          <KeyForm path={keysPath(call.environment)} button={text.create} granted={props.granted}>
            <KeyNameField name={props.name} />
          </KeyForm>
        </Section>
      )}
    </DeveloperFrame>
  );
}

interface KeyProps {
  readonly apiKey: ApiKeyView;
}

function KeyName({ apiKey }: KeyProps) {
  return (
    <span>
      <bdi>{apiKey.name}</bdi>
      <span class="quiet small"> {permissionText(apiKey.permissions)}</span>
    </span>
  );
}

function Creation({ apiKey: { createdAtMs, createdBy } }: KeyProps) {
  return (
    <span>
      <When atMs={createdAtMs} />
      {createdBy !== null && (
        <span class="quiet small">
          {' '}
          {useTexts(DASHBOARD_TEXTS).keys.by} <bdi>{createdBy}</bdi>
        </span>
      )}
    </span>
  );
}

export function LastUse({ apiKey: { lastUsedAtMs } }: KeyProps) {
  const { never } = useTexts(DASHBOARD_TEXTS).keys;
  return lastUsedAtMs === null ? <span class="quiet">{never}</span> : <When atMs={lastUsedAtMs} />;
}

function ManageLink({ apiKey: key }: KeyProps) {
  const { environment, nowMs } = useCall();
  const { manage } = useTexts(DASHBOARD_TEXTS).keys;
  const label = `${manage}: ${key.name} …${key.hint}`;
  return isOver(key, nowMs) ? (
    <span class="quiet">—</span>
  ) : (
    <a class="button" href={keysPath(environment, `/${key.digest}`)} aria-label={label}>
      {manage}
    </a>
  );
}

/** Whether the key no longer works. */
export function isOver(key: ApiKeyView, nowMs: number): boolean {
  return key.revokedAtMs !== null || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs);
}

/** The state of a key: active, expiring, expired or revoked, and when. */
export function KeyState({ apiKey }: KeyProps) {
  const { nowMs } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).keys;
  const { revokedAtMs, expiresAtMs } = apiKey;
  if (isRollable(apiKey)) {
    return <Badge tone="good">{text.active}</Badge>;
  }
  const isEnding = !isOver(apiKey, nowMs);
  const word = revokedAtMs !== null ? text.revoked : isEnding ? text.ends : text.expired;
  return (
    <span class="beside">
      <Badge tone={isEnding ? 'wait' : 'plain'}>{word}</Badge>{' '}
      <span class="small">
        <When atMs={revokedAtMs ?? expiresAtMs ?? 0} />
      </span>
    </span>
  );
}

/** Enough that no two forms of a tenant ever have the same id. */
const FORM_ID_BYTES = 16;

/**
 * Creates a key: once, and in production with the member's passkey. `granted` is preselected, as far
 * as this member may grant it.
 */
export function KeyForm(props: {
  readonly path: string;
  readonly button: string;
  readonly granted: GrantedPermissions;
  /** Its first field. */
  readonly children: preact.ComponentChildren;
}) {
  const { path, button, granted, children } = props;
  // A form that is sent twice takes effect once.
  const formId = crypto.getRandomValues(new Uint8Array(FORM_ID_BYTES));
  return (
    <FormConfirmedInProduction
      ceremony="api-key"
      path={path}
      hint={useTexts(DASHBOARD_TEXTS).keys.confirmHint}
      fields={{ form: base64UrlFromBytes(formId) }}
      once
    >
      {children}
      <PermissionFields granted={granted} />
      <Submit label={button} />
    </FormConfirmedInProduction>
  );
}

/**
 * Whether the member may create such a key: in production, one that refunds only if the member may
 * refund. Otherwise a developer could refund through a key (docs/decisions.md#42).
 */
export function mayGrant(call: DashboardCall, granted: GrantedPermissions): boolean {
  return (
    call.environment === 'sandbox' || !grants(granted, 'refunds') || mayChange(call, 'refunds')
  );
}

/** The name of a permission's field. */
export function permissionField(permission: KeyPermission): string {
  return `may_${permission}`;
}

/** The choice that an error about the permissions links to. */
export const RESTRICTED_ID = 'access-restricted';

/**
 * What the key may do: everything, or the ticked permissions, which appear with that choice. Old
 * browsers always show them, and the server rejects a tick without the choice.
 */
function PermissionFields(props: { readonly granted: GrantedPermissions }) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).keys;
  const isRefundable = mayGrant(call, null);
  const granted = isRefundable ? props.granted : (props.granted ?? KEY_PERMISSIONS);
  const problem = useProblem(RESTRICTED_ID);
  const isGrantable = (permission: KeyPermission) => mayGrant(call, [permission]);
  return (
    <fieldset aria-describedby={problem === null ? undefined : `${RESTRICTED_ID}-error`}>
      <legend>{text.access}</legend>
      <FieldError id={RESTRICTED_ID} error={problem} />
      <Choice
        type="radio"
        name="access"
        id="access-full"
        value="full"
        checked={granted === null}
        disabled={!isRefundable}
      >
        {text.fullAccess}
      </Choice>
      <Choice
        type="radio"
        name="access"
        id={RESTRICTED_ID}
        value="restricted"
        checked={granted !== null}
      >
        {text.restrictedAccess}
      </Choice>
      <div class="permissions">
        {KEY_PERMISSIONS.map((permission) => (
          <Choice
            type="checkbox"
            name={permissionField(permission)}
            value="yes"
            checked={granted?.includes(permission) === true && isGrantable(permission)}
            disabled={!isGrantable(permission)}
          >
            {text.permissions[permission]}
          </Choice>
        ))}
      </div>
      {!isRefundable && <p class="hint">{text.refundsByOwner}</p>}
    </fieldset>
  );
}

/** What a key may do, in words. */
export function permissionText(granted: GrantedPermissions): string {
  const text = useTexts(DASHBOARD_TEXTS).keys;
  return granted === null
    ? text.full
    : granted.map((permission) => text.permissions[permission]).join(', ');
}

export function KeyNameField({ name: value }: { readonly name: string }) {
  const { name, nameHint } = useTexts(DASHBOARD_TEXTS).keys;
  return (
    <TextField
      id="name"
      label={name}
      hint={nameHint}
      value={value}
      maxlength={KEY_NAME_LENGTH_MAX}
    />
  );
}
