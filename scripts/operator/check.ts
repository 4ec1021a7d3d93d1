import type { CheckReport } from '../../back-office/operator/check.ts';
import { GatewayError, send } from './client.ts';
import type { Gateway } from './command.ts';

/** The gateway ends a check within a minute. */
const POLL_MS = 1_000;

/** Starts a check, or joins one that has just begun, and yields its result. */
export async function* runCheck(gateway: Gateway): AsyncGenerator<CheckReport> {
  let report = await started(gateway);
  while (report.finishedAt === null) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    report = await latest(gateway);
  }
  yield report;
}

async function started(gateway: Gateway): Promise<CheckReport> {
  try {
    return (await send(gateway, { path: '/check', body: {} })) as CheckReport;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 429) {
      return latest(gateway);
    }
    throw error;
  }
}

async function latest(gateway: Gateway): Promise<CheckReport> {
  return (await send(gateway, { path: '/check' })) as CheckReport;
}
