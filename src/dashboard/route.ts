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
   * True for a post that people of a suspended merchant may make as well: it concerns only
   * themselves, such as signing out.
   */
  readonly whenSuspended?: boolean;
  readonly handle: (call: DashboardCall) => Promise<Response>;
}

/** For whoever has no session yet. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  readonly path: `/dashboard${string}`;
  readonly handle: (call: PublicCall) => Promise<Response>;
}
