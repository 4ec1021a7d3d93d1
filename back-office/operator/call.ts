import type { Actor } from '../../src/kit/audit/log.ts';
import type { BackOfficeConfig } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import type { PaymentsPlane } from '../payments-plane.ts';

/** The named segments of a path, percent-decoded: what an action is about. */
export type PathParts = Readonly<Record<string, string>>;

/** An authenticated request of the operator. */
export interface OperatorCall {
  readonly request: Request;
  readonly url: URL;
  readonly env: BackOfficeEnv;
  readonly ctx: ExecutionContext;
  readonly config: BackOfficeConfig;
  readonly payments: PaymentsPlane;
  readonly actor: Actor;
  readonly params: PathParts;
  readonly nowMs: number;
}

/** One route of the operator's API or desk. */
export interface OperatorRoute {
  /** GET answers HEAD as well. */
  readonly method: 'GET' | 'POST';
  readonly path: `/operator${string}`;
  readonly handle: (call: OperatorCall) => Promise<Response>;
}
