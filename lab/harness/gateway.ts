import type { DemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { expectFreePort } from '../../scripts/dev/ports.ts';
import { NO_RATE_LIMITS } from '../../scripts/gateway/gateway.ts';
import { startGateway } from '../../scripts/gateway/own-gateway.ts';

/** A line of output for each request would be part of the measured time. */
const QUIET = ['--log-level', 'error'] as const;

/** Runs `use` with the demo merchant of a new gateway that has a new database. */
export async function withGateway<Result>(
  port: number,
  use: (merchant: DemoMerchant) => Promise<Result>,
): Promise<Result> {
  await expectFreePort(port);
  const gateway = await startGateway({ name: 'lab', port, args: [...NO_RATE_LIMITS, ...QUIET] });
  try {
    return await use(gateway.merchant);
  } catch (error) {
    console.error(`Output of the gateway: ${gateway.outputFile}`);
    throw error;
  } finally {
    await gateway.stop();
  }
}
