import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Actor } from '../../src/kit/audit/log.ts';
import type { Form } from '../../src/kit/http/form.ts';
import { clientAddress } from '../../src/kit/http/rate-limit.ts';
import type { Environment, Tenant } from '../../src/kit/tenant.ts';
import type { BackOfficeConfig } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import type { BackOfficeLanguage } from '../i18n/texts.ts';
import { isAllowed, type Permission } from '../members/permissions.ts';
import type { Session } from '../members/sessions.ts';
import type { PaymentsPlane } from '../payments-plane.ts';
import type { Calendar } from './days.ts';

/** A request to the dashboard, with or without a session. */
export interface PublicCall {
  readonly request: Request;
  readonly url: URL;
  readonly env: BackOfficeEnv;
  readonly ctx: ExecutionContext;
  readonly config: BackOfficeConfig;
  readonly payments: PaymentsPlane;
  readonly language: BackOfficeLanguage;
  /** The named segments of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** An authorized member's request: session, role and, for a post, CSRF token are checked. */
export interface DashboardCall extends PublicCall {
  readonly session: Session;
  /** The environment in the path, else the last visited one. For links only. */
  readonly environment: Environment;
  /** In which the member reads and chooses days. */
  readonly calendar: Calendar;
  /** The fields that were posted; empty for anything but a post. */
  readonly form: Form;
}

/** The call whose page is being rendered. */
export const CurrentCall = createContext<DashboardCall | null>(null);

export function useCall(): DashboardCall {
  const call = useContext(CurrentCall);
  if (call === null) {
    throw new Error('no page of a signed-in member is being rendered');
  }
  return call;
}

/**
 * The tenant of the call: the session's merchant in the path's environment. The merchant never
 * comes from anything that the browser sends (docs/promises.md#8).
 */
export function tenantOf(call: DashboardCall): Tenant {
  return { environment: call.environment, merchantId: call.session.merchantId };
}

/** The member as the actor of audit entries. */
export function actorOf({ session, request }: DashboardCall): Actor {
  return {
    kind: 'member',
    id: session.memberId,
    name: session.memberName,
    address: clientAddress(request),
  };
}

/** Whether the member's role grants the permission, for reading. */
export function may({ session }: DashboardCall, permission: Permission): boolean {
  return isAllowed(session.role, permission);
}

/** Whether the member may only read: the merchant is suspended, or changes are paused. */
export function isReadOnly({ session }: DashboardCall): boolean {
  return session.isSuspended || session.areChangesPaused;
}

/** Whether the member may change something with it. */
export function mayChange(call: DashboardCall, permission: Permission): boolean {
  return may(call, permission) && !isReadOnly(call);
}
