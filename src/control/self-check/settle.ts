import { ConfigError } from '../../kit/config-error.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Finding } from './findings.ts';

/** A check that takes longer has failed: D1's own limit for a query. */
const CHECK_MS_MAX = 10_000;
const ERROR_LENGTH_MAX = 200;

/** What the check finds. A failing or hanging check is wrong, and never hides the others. */
export async function settled(
  name: string,
  check: () => Finding | Promise<Finding>,
  withinMs = CHECK_MS_MAX,
): Promise<Finding> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const give = () => reject(new Error(`no answer within ${withinMs} ms`));
    timer = setTimeout(give, withinMs);
  });
  try {
    return await Promise.race([Promise.resolve().then(check), late]);
  } catch (error) {
    log('error', 'self_check_failed', { check: name, error: errorText(error) });
    // A ConfigError names the variable and never its value.
    return error instanceof ConfigError
      ? { state: 'wrong', finding: 'unparsed', details: { problem: error.message } }
      : {
          state: 'wrong',
          finding: 'failed',
          details: { error: errorText(error).slice(0, ERROR_LENGTH_MAX) },
        };
  } finally {
    clearTimeout(timer);
  }
}
