/** What the members of a merchant may do. Pure. */

export const ROLES = ['owner', 'developer', 'cashier', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * - `view`: payments, webhooks, methods, names of keys; the member's own passkeys and sessions.
 * - `refunds`: requesting and canceling refunds, with a fresh passkey.
 * - `develop`: keys, webhook settings and secrets, test events, sending again.
 * - `manage`: members, methods, branding, the audit log.
 */
export type Permission = 'view' | 'refunds' | 'develop' | 'manage';

const GRANTED: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['view', 'refunds', 'develop', 'manage'],
  developer: ['view', 'develop'],
  cashier: ['view', 'refunds'],
  viewer: ['view'],
};

export function isAllowed(role: Role, permission: Permission): boolean {
  return GRANTED[role].includes(permission);
}

/** The role of that name, or null. */
export function roleFrom(text: string): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}
