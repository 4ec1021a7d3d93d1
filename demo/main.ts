/**
 * `npm run demo`: a small shop that takes payments by the gateway of this folder, in its sandbox.
 * Starts the gateway too unless it is running. `--help` lists the options.
 */
import { DEFAULT_PORT } from '../scripts/dev/options.ts';
import { expectFreePort } from '../scripts/dev/ports.ts';
import { numberOption, runScript } from '../scripts/project/options.ts';
import { findOrStartGateway } from './gateway.ts';
import { startShop } from './shop.ts';

const SCRIPT = {
  usage: 'npm run demo',
  about: `Starts a small shop that takes payments in the sandbox: demo/shop.ts shows how.
Uses the gateway that \`npm run dev\` runs here, or starts one.`,
  options: {
    port: numberOption('PORT', 'where the shop listens', 8798, 1, 65_535),
    'gateway-port': numberOption(
      'PORT',
      'where the gateway listens that it starts',
      DEFAULT_PORT,
      1,
      65_535,
    ),
  },
};

await runScript(SCRIPT, async ({ port, 'gateway-port': gatewayPort }) => {
  await expectFreePort(port, SCRIPT.usage);
  const { baseUrl, merchant } = await findOrStartGateway(gatewayPort);
  const shop = await startShop({
    apiKey: merchant.sandboxApiKey,
    webhookSecret: merchant.sandboxWebhookSecret,
    merchantId: merchant.merchantId,
    gatewayUrl: baseUrl,
    port,
  });
  console.log(`\nThe demo shop is open on ${shop.url}/ and moves no money. Ctrl-C closes it.`);
});
