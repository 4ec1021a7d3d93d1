import { successResponse } from '../../src/kit/http/envelope.ts';
import { fieldError } from '../../src/kit/http/field-error.ts';
import { readJsonBody } from '../../src/kit/http/json-body.ts';
import { problem, validationProblem } from '../../src/kit/http/problem.ts';
import { DESK_TEXTS } from '../i18n/texts.ts';
import { withMemberCounts } from '../members/members.ts';
import type { OperatorAction } from './actions/action.ts';
import { ACTIONS } from './actions/all.ts';
import type { OperatorCall, OperatorRoute } from './call.ts';
import { readCheck, startCheck } from './check.ts';
import { readMembers } from './members.ts';
import { paymentContent } from './payment-content.ts';

const V1 = '/operator/v1';

/** The largest body is a list of object ids. */
const BODY_BYTES_MAX = 64 * 1024;
/** More than any action takes. The runtime cannot pass thousands to the payments Worker. */
const BODY_LEVELS_MAX = 16;

/** Something that the operator may read. */
interface Read {
  readonly path: `/${string}`;
  readonly message: string;
  readonly read: (call: OperatorCall) => Promise<unknown>;
}

const READS: readonly Read[] = [
  {
    path: '/health',
    message: 'Health',
    read: ({ payments }) => payments.operations.readHealth(),
  },
  {
    path: '/health/now',
    message: 'Health',
    read: async ({ payments }) => {
      await payments.operations.refreshHealth();
      return payments.operations.readHealth();
    },
  },
  {
    path: '/backups',
    message: 'Backups',
    read: ({ payments }) => payments.operations.listBackups(),
  },
  {
    path: '/backups/:run/verify',
    message: 'Verified',
    read: ({ payments, params, url }) => payments.operations.verifyBackup(params, queryOf(url)),
  },
  {
    path: '/backups/:run/parts',
    message: 'Parts',
    read: ({ payments, actor, params, url }) =>
      payments.operations.backupParts(actor, params, queryOf(url)),
  },
  {
    path: '/backup-part',
    message: 'Part',
    read: ({ payments, actor, url }) => payments.operations.backupPart(actor, {}, queryOf(url)),
  },
  { path: '/check', message: 'Self-check', read: readCheck },
  { path: '/alerts', message: 'Alerts', read: ({ payments }) => payments.alerts.state() },
  { path: '/rails', message: 'Rails', read: ({ payments }) => payments.operations.rails() },
  { path: '/attention', message: 'Needs attention', read: readAttention },
  { path: '/merchants', message: 'Merchants', read: readMerchants },
  {
    path: '/merchants/:merchantId',
    message: 'Merchant',
    read: (call) => merchantContent(call, call.params),
  },
  {
    path: '/merchants/:merchantId/members',
    message: 'Members',
    read: async (call) => {
      const merchant = await call.payments.operations.knownMerchant(call.params);
      return readMembers(call, merchant);
    },
  },
  { path: '/banks', message: 'Banks', read: ({ payments }) => payments.operations.listBanks() },
  {
    path: '/payments/:environment/:merchantId/:uniqueId',
    message: 'Payment',
    read: async ({ payments, params }) =>
      paymentContent(await payments.operations.paymentDetails(params)),
  },
  {
    path: '/dead-letters',
    message: 'Dead letters',
    read: ({ payments, url }) => payments.operations.deadLetters(queryOf(url)),
  },
  {
    path: '/customers/requests',
    message: 'Requests of customers',
    read: ({ payments, url }) => payments.operations.customerRequests(queryOf(url)),
  },
  {
    path: '/dead-letters/:id',
    message: 'Dead letter',
    read: async ({ payments, params }) => {
      const { letter, body, payment } = await payments.operations.readDeadLetter(params);
      return { ...letter, payment, body };
    },
  },
];

/** All routes of the operator's API. */
export const API_ROUTES: readonly OperatorRoute[] = [
  {
    method: 'POST',
    path: `${V1}/check`,
    handle: async (call) => successResponse('Self-check', await startCheck(call)),
  },
  ...READS.map(
    ({ path, message, read }): OperatorRoute => ({
      method: 'GET',
      path: `${V1}${path}`,
      handle: async (call) => successResponse(message, await read(call)),
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
  return value as OperatorCall['params'];
}

function hasMoreLevels(value: unknown, levels: number): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (levels === 0 || Object.values(value).some((member) => hasMoreLevels(member, levels - 1)))
  );
}

/** A merchant with its settings, which is the content where an action names none. */
async function merchantContent({ payments, env }: OperatorCall, target: OperatorCall['params']) {
  const merchant = await payments.operations.merchantContent(target);
  const [counted] = await withMemberCounts(env.BACK_OFFICE_DB, [merchant]);
  return counted;
}

/** The query's parameters. Problem 400 for a repeated one. */
function queryOf({ searchParams }: URL): Readonly<Record<string, string>> {
  const names = [...searchParams.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw validationProblem({ [twice]: fieldError('duplicate', 'Must not be given twice.') });
  }
  return Object.fromEntries(searchParams);
}

/** What needs the operator's attention, why, and what to do. */
export async function readAttention({ payments, url }: OperatorCall) {
  const { items, nextCursor } = await payments.operations.attentionPage(queryOf(url));
  const texts = DESK_TEXTS.en.attention;
  return {
    items: items.map(({ reasons, ...item }) => ({
      ...item,
      reasons: reasons.map((reason) => ({ reason, ...texts[reason] })),
    })),
    nextCursor,
  };
}

export async function readMerchants({ payments, env, url }: OperatorCall) {
  const { items, nextCursor } = await payments.operations.merchants(queryOf(url));
  return { items: await withMemberCounts(env.BACK_OFFICE_DB, items), nextCursor };
}
