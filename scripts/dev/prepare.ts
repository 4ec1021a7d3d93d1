import { DEFAULT_STATE_DIRECTORY } from '../project/files.ts';
import type { Secrets } from '../project/secrets.ts';
import { prepareLocalDatabase } from './d1.ts';
import type { DemoMerchant } from './demo-merchant.ts';
import { demoMerchant, publishDemoMerchant, seedDemoMerchant } from './demo-merchant.ts';
import { localSecrets, warnOfIgnoredSecrets } from './local-secrets.ts';
import { DEFAULT_PORT } from './options.ts';

/** What a local gateway needs before it starts, each created only when it is missing. */
export interface Prepared {
  readonly secrets: Secrets;
  readonly merchant: DemoMerchant;
}

/**
 * Creates local secrets, the tables in `stateDirectory` and the demo merchant behind `baseUrl`, unless
 * the gateway stays empty.
 */
export async function prepareLocalGateway(
  stateDirectory: string,
  baseUrl: string,
  isEmpty = false,
): Promise<Prepared> {
  const secrets = await localSecrets();
  await warnOfIgnoredSecrets();
  const merchant = await demoMerchant(baseUrl, secrets);
  await (isEmpty
    ? prepareLocalDatabase(stateDirectory)
    : seedDemoMerchant(stateDirectory, merchant, secrets));
  return { secrets, merchant };
}

/** For `wrangler dev` without options: prepares what it uses by default and says what to try. */
export async function prepareWranglerDev(): Promise<string> {
  const { merchant } = await prepareLocalGateway(
    DEFAULT_STATE_DIRECTORY,
    `http://localhost:${DEFAULT_PORT}`,
  );
  // Wrangler does not say where it will listen.
  await publishDemoMerchant({ ...merchant, baseUrl: undefined });
  return `Demo merchant: API key ${merchant.sandboxApiKey}, more in .wrangler/demo-merchant.json.
Not on port ${DEFAULT_PORT}? Then \`npm run operator\` takes --url http://localhost:PORT.
\`npm run dev\` also prints a link into the dashboard, allows webhooks to this machine and starts
stand-ins for the providers.`;
}
