import type { Actor } from '../audit/log.ts';
import type { Config } from '../config.ts';

/** An authenticated request of the operator's. */
export interface OperatorCall {
  readonly request: Request;
  readonly url: URL;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly config: Config;
  /** The named segments of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** As the audit log names whoever acts. */
  readonly actor: Actor;
  readonly nowMs: number;
}

/** One line of the operator's side. */
export interface OperatorRoute {
  /** GET answers HEAD as well. */
  readonly method: 'GET' | 'POST';
  readonly path: `/operator${string}`;
  readonly handle: (call: OperatorCall) => Promise<Response>;
}
