import type { AppForm, AppParameters } from '../../domain/app-form.ts';
import { isAbsent, isAbsentOr, type Members, minorOf, scalarOf } from '../members.ts';
import type { StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import type { RailOrder } from '../rail-order.ts';
import { type CallResult, codeIn, hasNoSuchCall, SUCCESS_CODE } from './answers.ts';
import { type Client, logAnswer, post, resultOf, send } from './client.ts';
import { freshness, RAIL_ID, signedOpening, startTimeoutMsOf } from './messages.ts';
import { prepayIdOf } from './order-state.ts';

/**
 * Orders that the customer pays in telebirr's app, called by the merchant's own app through
 * telebirr's SDK, or by the merchant's mini app. Only the start differs from the web page.
 */

/** Creates the order, and returns what opens it in the app. `content`: the order. */
export async function startInApp(
  client: Client,
  order: RailOrder,
  content: Members,
  form: AppForm,
): Promise<StartResult> {
  const answer = await (form === 'IN_APP'
    ? createOrder(client, order, content)
    : post(client, 'preOrder', order, content));
  if (answer.type !== 'success') {
    return answer.type === 'refused' ? answer : { ...answer, type: 'unknown' };
  }
  const isOurs = isAbsentOr(answer.content.merch_order_id, order.attempt.reference);
  const app = isOurs ? await parametersOf(client, order, content, answer.content, form) : null;
  if (app === null) {
    logRailAnswer(RAIL_ID, form === 'IN_APP' ? 'createOrder' : 'preOrder', order, {});
    return { type: 'unknown' };
  }
  const accepted = { type: 'accepted', redirectUrl: null, railReference: null } as const;
  return { ...accepted, providerCode: SUCCESS_CODE, app };
}

/**
 * telebirr's documentation has one address in its table and another one in its sample. The second one
 * is tried only after an answer that the first does not exist, and in the same time. Should the first
 * have created the order all the same, it cannot be paid: its code never left telebirr, and both
 * orders have one id.
 */
async function createOrder(
  client: Client,
  order: RailOrder,
  content: Members,
): Promise<CallResult> {
  const timeoutMs = startTimeoutMsOf(client.settings);
  const endsAtMs = Date.now() + timeoutMs;
  const first = await send(client, 'createOrder', order, content, timeoutMs);
  if ('type' in first) {
    return first;
  }
  if (!hasNoSuchCall(first)) {
    return resultOf('createOrder', order, first);
  }
  const leftMs = endsAtMs - Date.now();
  const second = await send(client, 'merchantCreateOrder', order, content, leftMs);
  if ('type' in second) {
    return second;
  }
  if (!hasNoSuchCall(second)) {
    return resultOf('merchantCreateOrder', order, second);
  }
  logAnswer('merchantCreateOrder', order, second);
  return { type: 'refused', reason: 'misconfigured', providerCode: codeIn(second) };
}

/** Null for an answer that does not open this order. */
async function parametersOf(
  { settings, sign }: Client,
  order: RailOrder,
  content: Members,
  answer: Members,
  form: AppForm,
): Promise<AppParameters | null> {
  const { merchantAppId, merchantCode } = settings;
  if (form === 'IN_APP') {
    const receiveCode = receiveCodeOf(answer, order, content, merchantCode);
    return receiveCode === null
      ? null
      : { appId: merchantAppId, shortCode: merchantCode, receiveCode, rawRequest: null };
  }
  const prepayId = prepayIdOf(answer.prepay_id);
  const opening =
    prepayId && (await signedOpening(settings, prepayId, sign, freshness(Date.now())));
  return opening
    ? { appId: null, shortCode: null, receiveCode: null, rawRequest: rawRequestOf(opening) }
    : null;
}

/** Unlike the page's URL: telebirr's app reads the signature as it is, not percent-encoded. */
function rawRequestOf(opening: Readonly<Record<string, string>>): string {
  return Object.entries(opening)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** `TELEBIRR$BUYGOODS$<merch_code>$<amount>$<prepay_id>$<timeout>` */
const RECEIVE_CODE =
  /^TELEBIRR\$BUYGOODS\$(?<merchant>\d+)\$(?<amount>[\d.]+)\$(?<prepayId>[\w-]+)\$\d+m$/;

/**
 * The text as telebirr returned it, or built as the documentation has it where telebirr returned only
 * the order's id. Null for a code of another recipient, amount or order: the customer would pay that.
 */
function receiveCodeOf(
  { prepay_id, receive_code }: Members,
  { chargedMinor }: RailOrder,
  { total_amount, timeout_express }: Members,
  merchantCode: string,
): string | null {
  if (isAbsent(receive_code)) {
    const prepayId = prepayIdOf(prepay_id);
    const parts = ['TELEBIRR', 'BUYGOODS', merchantCode, total_amount, prepayId, timeout_express];
    return prepayId && parts.join('$');
  }
  const { groups } = RECEIVE_CODE.exec(scalarOf(receive_code) ?? '') ?? {};
  const isOurs =
    groups?.merchant === merchantCode &&
    minorOf(groups.amount) === chargedMinor &&
    prepayIdOf(groups.prepayId) !== null &&
    isAbsentOr(prepay_id, groups.prepayId ?? '');
  return isOurs ? scalarOf(receive_code) : null;
}
