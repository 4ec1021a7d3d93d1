/**
 * `npm run wire`: holds the OpenAPI document against programs that others wrote. Three generators
 * make clients of it, which are compiled strictly and make the first payment and refund in both
 * environments, on a gateway with stand-ins. Prism, as a proxy, compares varied calls with it.
 * Python validates every price from 1.00 to 999.99. Exits with 1 when something differs.
 */
import type { DemoMerchant } from '../scripts/dev/demo-merchant.ts';
import { NO_RATE_LIMITS } from '../scripts/gateway/gateway.ts';
import { freePort, startGateway } from '../scripts/gateway/own-gateway.ts';
import type { StandIn } from '../scripts/stand-ins/stand-in.ts';
import { startStandIns } from '../scripts/stand-ins/start-all.ts';
import { ROOT } from '../src/api/operations.ts';
import { ApiDocument } from './harness/api-document.ts';
import { inDirectory } from './harness/directory.ts';
import { runScript } from './harness/script.ts';
import { variedCalls, type WireCall } from './wire/calls.ts';
import { payAndRefund } from './wire/first-payment.ts';
import { generatedShops, installInto, validatePrices } from './wire/generate.ts';
import { knownThings } from './wire/known.ts';
import { differences, type Judged, startProxy } from './wire/proxy.ts';

const SCRIPT = {
  usage: 'npm run wire',
  about:
    'Generates three clients from the OpenAPI document and pays with them; compares varied calls\nwith it through Prism; validates prices in Python. Needs python3 with jsonschema.',
  options: {},
};

const CALLS_MIN = 150;
/** Each payment has its own amount, by which the stand-in knows what its customer does. */
const FIRST_AMOUNT = 150;

await runScript(SCRIPT, async () => {
  await validatePrices();
  return inDirectory(async (directory) => {
    const port = await freePort();
    const standIns = await startStandIns(`http://localhost:${port}`, { hasRefunds: true });
    try {
      await installInto(directory);
      const args = [...NO_RATE_LIMITS, ...standIns.wranglerArgs];
      const gateway = await startGateway({ name: 'wire', port, args });
      try {
        return await hold(directory, gateway.demo, standIns.byMethod.M_PESA);
      } finally {
        await gateway.stop();
      }
    } finally {
      await standIns.stop();
    }
  });
});

async function hold(directory: string, merchant: DemoMerchant, standIn: StandIn): Promise<boolean> {
  const shops = await generatedShops(directory);
  const environments = [
    ['/sandbox', merchant.sandboxApiKey],
    ['', merchant.productionApiKey],
  ] as const;
  let amount = FIRST_AMOUNT;
  for (const [name, newShop] of Object.entries(shops)) {
    for (const [environment, apiKey] of environments) {
      const baseUrl = merchant.baseUrl + ROOT + environment;
      await payAndRefund(newShop(baseUrl, apiKey), standIn, amount);
      amount += 1;
    }
    console.log(`${name}: compiled, paid and refunded in both environments`);
  }
  const document = new ApiDocument();
  let calls = 0;
  let differing = 0;
  let refusedByBoth = 0;
  for (const [environment, apiKey] of environments) {
    const { baseUrl } = merchant;
    const proxy = await startProxy(directory, baseUrl + ROOT + environment, apiKey);
    try {
      const known = await knownThings(environment, { baseUrl, apiKey }, proxy, standIn, amount);
      amount += 1;
      for (const call of variedCalls(document, known)) {
        const judged = await proxy.send(call);
        calls += 1;
        refusedByBoth += judged.status >= 400 && judged.ofRequest.length > 0 ? 1 : 0;
        differing += reported(call, judged) ? 1 : 0;
      }
    } finally {
      await proxy.stop();
    }
  }
  console.log(`Prism: ${calls} calls, ${differing} of them differ from the document`);
  console.log(`Gateway and document refuse ${refusedByBoth} of them alike`);
  // Without any, Prism would not have judged.
  return calls >= CALLS_MIN && refusedByBoth > 0 && differing === 0;
}

/** Prints how a call differs. Returns false when it does not. */
function reported(call: WireCall, judged: Judged): boolean {
  const found = differences(judged);
  if (found.length > 0) {
    console.log(`${call.method} ${call.path} ${JSON.stringify(call.body)}: ${judged.status}`);
    console.log(found.map((it) => `  ${it}`).join('\n'));
  }
  return found.length > 0;
}
