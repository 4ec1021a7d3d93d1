import { successResponse } from '../../src/kit/http/envelope.ts';
import { readJsonBody } from '../../src/kit/http/json-body.ts';
import { problem } from '../../src/kit/http/problem.ts';
import type { Fields, OperatorAction } from './actions/action.ts';
import { ACTIONS } from './actions/all.ts';
import { merchantContent, READS } from './actions/reads.ts';
import type { OperatorCall, OperatorRoute } from './call.ts';
import { startCheck } from './check.ts';

const V1 = '/operator/v1';

/** The largest body is a list of object ids. */
const BODY_BYTES_MAX = 64 * 1024;
/** More than any action takes. The runtime cannot pass thousands to the payments Worker. */
const BODY_LEVELS_MAX = 16;

/** All routes of the operator's API. */
export const API_ROUTES: readonly OperatorRoute[] = [
  {
    method: 'POST',
    path: `${V1}/check`,
    handle: async (call) => successResponse('Self-check', await startCheck(call)),
  },
  ...READS.map(
    ({ path, message, run }): OperatorRoute => ({
      method: 'GET',
      path: `${V1}${path}`,
      handle: async (call) => successResponse(message, await run(call)),
    }),
  ),
  ...ACTIONS.map(
    (action): OperatorRoute => ({
      method: 'POST',
      path: `${V1}${action.path}`,
      handle: (call) => answerAction(call, action),
    }),
  ),
];

async function answerAction(call: OperatorCall, action: OperatorAction): Promise<Response> {
  const fields = action.fields === null ? {} : await bodyOf(call.request, action.bodyBytesMax);
  const { message, content, target = call.params } = await action.run(call, call.params, fields);
  return successResponse(message, content ?? (await merchantContent(call, target)));
}

/** The body as it is: the action checks it, and rejects anything but an object. */
async function bodyOf(request: Request, bytesMax = BODY_BYTES_MAX) {
  const { value } = await readJsonBody(request, bytesMax);
  if (hasMoreLevels(value, BODY_LEVELS_MAX)) {
    throw problem('invalid_json');
  }
  return value as Fields;
}

function hasMoreLevels(value: unknown, levels: number): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (levels === 0 || Object.values(value).some((member) => hasMoreLevels(member, levels - 1)))
  );
}
