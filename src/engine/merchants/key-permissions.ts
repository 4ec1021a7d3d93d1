/** What a restricted API key can be allowed (docs/decisions.md#37). Each route of the API names one. */
export const KEY_PERMISSIONS = [
  'payments_create',
  'payments_read',
  'payments_cancel',
  /** Return money, and cancel refunds. `payments_read` reads them. */
  'refunds',
  /** Read events, and send them again. */
  'events',
  'webhook_endpoints',
  /** Create, read and change payment links. */
  'payment_links',
] as const;

export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** What a key may do; null: everything, including what later releases add. */
export type GrantedPermissions = readonly KeyPermission[] | null;

export function grants(granted: GrantedPermissions, needed: KeyPermission): boolean {
  return granted === null || granted.includes(needed);
}

/** The form in D1. */
export function storedPermissions(granted: GrantedPermissions): string | null {
  return granted === null ? null : JSON.stringify(granted);
}

/** From the form in D1. */
export function permissionsFrom(stored: string | null): GrantedPermissions {
  return stored === null ? null : (JSON.parse(stored) as readonly KeyPermission[]);
}
