import { integerOf, jsonObject } from '../members.ts';
import { newReference, probed, statusOf } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { codeIn, post } from './cards-call.ts';
import { STATUS_CALL, STATUS_TIMEOUT_MS, statusForm } from './cards-order.ts';
import { ORDER_NOT_FOUND } from './cards-status.ts';
import type { CardsSettings } from './settings.ts';

/** `errorCode`: access denied, or the password must be changed. */
const ACCESS_DENIED = 5;

/** A status query about an order that does not exist: the gateway must not find it. */
export async function probe(settings: CardsSettings): Promise<ProbeResult> {
  const attempt = { reference: newReference(), railReference: null };
  const answer = await post(
    settings,
    STATUS_CALL,
    statusForm(settings, { attempt }),
    STATUS_TIMEOUT_MS,
  );
  const isAnswered = answer.type === 'answered' && answer.status === 200;
  const errorCode = isAnswered ? integerOf(jsonObject(answer.text)?.errorCode) : null;
  const isDenied = errorCode === ACCESS_DENIED;
  return probed(STATUS_CALL, statusOf(answer), {
    providerCode: codeIn(answer),
    ...(errorCode === ORDER_NOT_FOUND && { outcome: 'accepted' }),
    ...(isDenied && { outcome: 'refused', settings: ['userName', 'password'] }),
  });
}
