import { successResponse } from '../../../src/http/envelope.ts';
import type { OperatorCall } from '../call.ts';
import { readHealth } from './read.ts';

/** GET …/health. */
export async function showHealth({ env, nowMs }: OperatorCall): Promise<Response> {
  return successResponse('Health', await readHealth(env, nowMs));
}
