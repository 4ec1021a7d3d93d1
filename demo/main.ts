/**
 * `npm run demo`: a small shop that takes payments by the gateway of this folder, in its sandbox.
 * Starts the gateway too unless it is running. `--help` lists the options.
 */
import { givenOptions, optionsHelp, type ScriptOptions } from '../scripts/project/options.ts';
import { findOrStartGateway } from './gateway.ts';
import { startShop } from './shop.ts';

const DEFAULT_PORT = 8798;
const PORT_MAX = 65_535;

const OPTIONS: ScriptOptions = {
  port: { value: 'PORT', about: `where the shop listens (default: ${DEFAULT_PORT})` },
};

const ABOUT = `Starts a small shop that takes payments in the sandbox: demo/shop.ts shows how.
Uses the gateway that \`npm run dev\` runs here, or starts one.`;

async function main(): Promise<void> {
  const given = givenOptions(OPTIONS, process.argv.slice(2));
  if (given === null) {
    console.log(optionsHelp('npm run demo', ABOUT, OPTIONS));
    return;
  }
  const port = Number(given.get('port')?.[0] ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > PORT_MAX) {
    throw new Error(`--port takes a number from 1 to ${PORT_MAX}`);
  }
  const { baseUrl, merchant } = await findOrStartGateway();
  const shop = await startShop({
    apiKey: merchant.sandboxApiKey,
    webhookSecret: merchant.sandboxWebhookSecret,
    gatewayUrl: baseUrl,
    port,
  });
  console.log(`\nThe demo shop is open on ${shop.url}/ and moves no money. Ctrl-C closes it.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
