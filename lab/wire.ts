/**
 * `npm run lab -- wire`: three generators that others wrote make clients of the OpenAPI document, and
 * Postman's converter a collection. Each client is compiled strictly and makes the first payment and
 * refund in both environments, on a gateway with stand-ins (docs/reliability.md#wire); the collection
 * does so in the sandbox, with its examples. Exits with 1 when a step has another outcome.
 */
import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { NO_RATE_LIMITS } from '../scripts/gateway/gateway.ts';
import { freePort, startGateway } from '../scripts/gateway/own-gateway.ts';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import type { StandIn } from '../scripts/stand-ins/stand-in.ts';
import { startStandIns } from '../scripts/stand-ins/start-all.ts';
import { ROOT } from '../src/engine/api/operation.ts';
import { inDirectory } from './harness/directory.ts';
import { runProgram } from './harness/program.ts';
import { runLabScript } from './harness/script.ts';
import { until } from './harness/until.ts';
import { postmanShop } from './wire/postman.ts';
import { expressPayment, hostedPayment, type NewShop, type Shop } from './wire/project/shop.ts';

const SCRIPT = {
  usage: 'npm run lab -- wire',
  about:
    'Generates three clients and a Postman collection from the OpenAPI document, and pays with them.',
  options: {},
};

/** Each payment has its own amount, by which the stand-in knows what its customer does. */
const FIRST_AMOUNT = 150;

const GENERATORS = [
  ['openapi-typescript/bin/cli.js', 'openapi.json', '--output=generated/openapi-typescript.ts'],
  [
    ...['@hey-api/openapi-ts/bin/run.js', '--input', 'openapi.json', '--output=generated/hey-api'],
    ...['--client=@hey-api/client-fetch', '--no-log-file'],
  ],
  ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
  ['typescript/bin/tsc', '--project', '.'],
] as const;

await runLabScript(SCRIPT, () =>
  inDirectory(async (directory) => {
    const shops = await generatedShops(directory);
    const port = await freePort();
    const standIns = await startStandIns(`http://localhost:${port}`, { hasRefunds: true });
    try {
      const { variables } = standIns;
      const options = { name: 'wire', port, args: NO_RATE_LIMITS, variables };
      const gateway = await startGateway(options);
      try {
        const { baseUrl, sandboxApiKey, productionApiKey } = gateway.merchant;
        let amount = FIRST_AMOUNT;
        for (const [name, newShop] of Object.entries(shops)) {
          for (const [environment, apiKey] of [
            ['/sandbox', sandboxApiKey],
            ['', productionApiKey],
          ] as const) {
            const shop = newShop(baseUrl + ROOT + environment, apiKey);
            await payAndRefund(shop, standIns.byMethod.M_PESA, amount);
            amount += 1;
          }
          console.log(`${name}: compiled, paid and refunded in both environments`);
        }
        await payByCollection(directory, baseUrl, sandboxApiKey);
        console.log('Postman: paid and refunded in the sandbox');
        return true;
      } finally {
        await gateway.stop();
      }
    } finally {
      await standIns.stop();
    }
  }),
);

/** The clients behind one interface. No developer needs the generators' packages daily. */
async function generatedShops(directory: string): Promise<Readonly<Record<string, NewShop>>> {
  await cp(join(import.meta.dirname, 'wire', 'project'), directory, { recursive: true });
  await cp(join(PROJECT_DIRECTORY, 'public', 'openapi.json'), join(directory, 'openapi.json'));
  await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], directory);
  for (const [program, ...args] of GENERATORS) {
    await runProgram(process.execPath, [join('node_modules', program), ...args], directory);
  }
  const outfile = join(directory, 'shops.mjs');
  const entryPoints = [join(directory, 'shops.ts')];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', logLevel: 'error' });
  return (await import(pathToFileURL(outfile).href)).SHOPS;
}

/**
 * What a merchant does first: creates a hosted payment, charges a phone, waits until it is paid,
 * returns a part of the money, and waits until it has arrived. `amount`: of the payment, of which the
 * stand-in plays the customer.
 */
async function payAndRefund(shop: Shop, standIn: StandIn, amount: number): Promise<void> {
  standIn.plan(String(amount), { act: 'pays' });
  const page = await shop.create(hostedPayment(randomUUID()));
  expectEqual(new URL(page).pathname.startsWith('/checkout/'), true);
  const id = randomUUID();
  expectEqual(await shop.charge(expressPayment(id, amount)), 'SUCCESS');
  await until('paid payment', async () => (await shop.paymentStatus(id)) === 'SUCCESS');
  const refundUniqueId = randomUUID();
  const refund = { paymentIntentUniqueId: id, refundUniqueId, amountMinor: amount * 100 };
  expectEqual(await shop.refund(refund), 'PENDING');
  await until(
    'returned money',
    async () => (await shop.refundStatus(refundUniqueId)) === 'SUCCESS',
  );
}

/** The walk of the document's examples, by what an import into Postman gives. */
async function payByCollection(directory: string, baseUrl: string, apiKey: string): Promise<void> {
  const document = await (await fetch(`${baseUrl}/openapi.json`)).text();
  const shop = await postmanShop(directory, document, apiKey);
  const page = String(await shop.content('Create a hosted payment'));
  expectEqual(page.startsWith(`${baseUrl}/checkout/`), true);
  expectEqual(Object(await shop.content('Create an express payment')).status, 'SUCCESS');
  const statusOf = async (name: string) => Object(await shop.content(name)).status;
  await until('paid payment', async () => (await statusOf('Read a payment')) === 'SUCCESS');
  expectEqual(await statusOf('Refund a payment'), 'PENDING');
  await until('returned money', async () => (await statusOf('Read a refund')) === 'SUCCESS');
  expectEqual(await statusOf('Cancel a payment'), 'CANCELED');
}

function expectEqual<Value>(found: Value, expected: Value): void {
  if (found !== expected) {
    throw new Error(`expected ${expected}, but found ${found}`);
  }
}
