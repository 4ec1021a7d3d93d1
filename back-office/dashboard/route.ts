import type { Permission } from '../members/permissions.ts';
import type { DashboardCall, PublicCall } from './call.ts';

/** A page or form of signed-in members. `:environment` in the path is `sandbox` or `production`. */
export interface DashboardRoute {
  /** GET answers HEAD as well. */
  readonly method: 'GET' | 'POST';
  /** Segments that begin with a colon are parameters. */
  readonly path: `/dashboard${string}`;
  /** What the member's role must grant. */
  readonly permission: Permission;
  /**
   * Whether members who may only read may post it, because it does not change the merchant: the
   * merchant is suspended, or changes are paused.
   */
  readonly whenReadOnly?: true;
  readonly handle: (call: DashboardCall) => Promise<Response>;
  /** Answers a form that is too large to read. */
  readonly refuseLarge?: (call: DashboardCall) => Promise<Response>;
}

/** A page or form without a session. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/dashboard${string}`;
  /** Whether it tries no credential, neither a passkey nor an invitation. */
  readonly isOnlyViewed?: true;
  readonly handle: (call: PublicCall) => Promise<Response>;
}

type Path = DashboardRoute['path'];
type Handle = DashboardRoute['handle'];

export function get(path: Path, permission: Permission, handle: Handle): DashboardRoute {
  return { method: 'GET', path, permission, handle };
}

export function post(path: Path, permission: Permission, handle: Handle): DashboardRoute {
  return { method: 'POST', path, permission, handle };
}

/** A form that members may post who may only read. */
export function postWhenReadOnly(path: Path, permission: Permission, handle: Handle) {
  return { ...post(path, permission, handle), whenReadOnly: true } as const;
}
