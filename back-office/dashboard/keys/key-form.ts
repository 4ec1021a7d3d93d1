import { base64UrlFromBytes } from '../../../src/crypto/encoding.ts';
import {
  type GrantedPermissions,
  grants,
  KEY_PERMISSIONS,
  type KeyPermission,
} from '../../../src/merchants/key-permissions.ts';
import {
  KEY_NAME_LENGTH_MAX,
  KEYS_ACTIVE_MAX,
  type NameProblem,
} from '../../../src/merchants/key-rules.ts';
import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { type DashboardCall, mayChange } from '../call.ts';

/** Reads and checks the forms about keys. Pure except for new form ids. */

/**
 * The member chose no permission for a restricted key, chose permissions for one with full access,
 * or chose what they may not grant.
 */
const ACCESS_PROBLEMS = ['no_permission', 'permissions_unclear', 'not_yours'] as const;
export type AccessProblem = (typeof ACCESS_PROBLEMS)[number];

export function isAboutAccess(problem: string): problem is AccessProblem {
  return ACCESS_PROBLEMS.some((known) => known === problem);
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

/** What the form allows the key. */
export function readPermissions(
  call: DashboardCall,
): { readonly granted: GrantedPermissions } | { readonly problem: AccessProblem } {
  const { form } = call;
  const chosen = KEY_PERMISSIONS.filter((known) => form.text(permissionField(known)) !== '');
  const isRestricted = form.text('access') === 'restricted';
  if (isRestricted === (chosen.length === 0)) {
    return { problem: isRestricted ? 'no_permission' : 'permissions_unclear' };
  }
  const granted = isRestricted ? chosen : null;
  return mayGrant(call, granted) ? { granted } : { problem: 'not_yours' };
}

/** Why a key was not created. */
export type CreateProblem = NameProblem | AccessProblem | 'too_many' | 'sent_twice' | 'unconfirmed';

/** Why a key was not rolled. */
export type RollProblem = Exclude<CreateProblem, NameProblem> | 'overlap' | 'ended';

/** Enough that no two forms of a tenant ever have the same one. */
const FORM_ID_BYTES = 16;

/** An id for one shown form, so that a form sent twice takes effect once. */
export function newFormId(): string {
  return base64UrlFromBytes(crypto.getRandomValues(new Uint8Array(FORM_ID_BYTES)));
}

/** The message why a key was not created or changed. */
export function keyProblems(language: BackOfficeLanguage) {
  const { problem } = DASHBOARD_TEXTS[language].keys;
  return {
    ...problem,
    too_long: problem.too_long(KEY_NAME_LENGTH_MAX),
    too_many: problem.too_many(KEYS_ACTIVE_MAX),
  };
}
