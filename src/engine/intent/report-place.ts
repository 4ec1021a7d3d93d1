import type { Command } from '../domain/command.ts';
import type { Intent } from '../domain/intent.ts';
import { placeReportOf } from '../links/places.ts';
import { registerOf } from '../register/client.ts';

/**
 * Tells the register what became of the payment's place at its link, and records on the payment that
 * it was one too many. Throws when the register does not answer; the payment's object then repeats
 * this call with its projection.
 */
export async function reportPlace(
  env: Env,
  intent: Intent,
  code: string,
  execute: (command: Command) => unknown,
): Promise<void> {
  const { terms } = intent;
  const report = placeReportOf(intent, Date.now());
  if (report === null) {
    return;
  }
  const place = await registerOf(env, terms).settlePlace(code, terms.uniqueId, report);
  if (place?.type === 'surplus' && report.type === 'paid' && !report.isSurplus) {
    execute({ type: 'report_surplus' });
  }
}
