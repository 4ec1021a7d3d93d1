import { signText, verifyText } from '../../../src/kit/crypto/signed-bytes.ts';
import type { OperatorCall } from '../call.ts';

/** A working day: a page may stay open while the operator asks the provider. */
const FORM_AGE_MS_MAX = 12 * 60 * 60 * 1_000;

/**
 * What every form of the desk must bring back. A page of another origin cannot read it, and the
 * form of one operator does not act in the name of another.
 */
export function formToken({ config, actor, nowMs }: OperatorCall): Promise<string> {
  return signText(config.backOfficeKeys, 'form/operator', `${nowMs} ${actor.name}`);
}

/** Whether `token` is from a page that this operator opened in the last 12 hours. */
export async function isFormTokenOf(
  { config, actor, nowMs }: OperatorCall,
  token: string,
): Promise<boolean> {
  const text = await verifyText(config.backOfficeKeys, 'form/operator', token);
  const space = text?.indexOf(' ') ?? -1;
  return (
    text !== null &&
    text.slice(space + 1) === actor.name &&
    nowMs - Number(text.slice(0, space)) <= FORM_AGE_MS_MAX
  );
}
