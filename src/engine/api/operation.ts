import type { Environment } from '../../kit/tenant.ts';
import type { KeyPermission } from '../merchants/key-permissions.ts';
import type { MerchantCall } from './call.ts';

export type Answer = (call: MerchantCall) => Promise<Response>;

interface OperationBase {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The first one is documented; the others are older or published spellings. */
  readonly paths: readonly string[];
  readonly environments: readonly Environment[];
}

export interface KeyOperation extends OperationBase {
  /** What the key must be good for; null: any key, of either environment. */
  readonly permission: KeyPermission | null;
  readonly answer: Answer;
}

interface PublicOperation extends OperationBase {
  readonly answerWithoutKey: (env: Env, environment: Environment) => Promise<Response>;
}

export type Operation = KeyOperation | PublicOperation;

/** Where all paths begin. */
export const ROOT = '/api/v1/payment';

/** What stands for `{environment}` in a path. */
export const SEGMENTS = { sandbox: '/sandbox', production: '' } as const;

/** The path from the root on. A few published paths do not begin with the environment. */
export function template(path: string): string {
  return ROOT + (path.includes('{environment}') ? path : `{environment}${path}`);
}
