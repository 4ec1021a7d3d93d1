/** What the members of a merchant may do. Pure. */

export const ROLES = ['owner', 'developer', 'cashier', 'viewer', 'till'] as const;
export type Role = (typeof ROLES)[number];

/**
 * - `account`: the member's own passkeys and sessions, which every member has.
 * - `view`: payments, webhooks, methods, names of keys.
 * - `sell`: the till. Members who may not `view` have a till of their own there and see no other.
 * - `refunds`: requesting and canceling refunds, with a fresh passkey.
 * - `develop`: keys, webhook settings and secrets, test events, sending again.
 * - `manage`: members, methods, branding, the audit log.
 */
export type Permission = 'account' | 'view' | 'sell' | 'refunds' | 'develop' | 'manage';

const GRANTED: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['account', 'view', 'sell', 'refunds', 'develop', 'manage'],
  developer: ['account', 'view', 'develop'],
  cashier: ['account', 'view', 'sell', 'refunds'],
  viewer: ['account', 'view'],
  till: ['account', 'sell'],
};

export function isAllowed(role: Role, permission: Permission): boolean {
  return GRANTED[role].includes(permission);
}

/** The role of that name, or null. */
export function roleFrom(text: string): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}
