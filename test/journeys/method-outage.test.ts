import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/gateway/own-gateway.ts';
import { startStandIns } from '../../scripts/stand-ins/start-all.ts';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { launchBrowser } from '../support/browser.ts';
import { choose, Device, heading, payButton } from '../support/e2e-customer.ts';
import { operate } from '../support/e2e-operator.ts';
import { eventually, expressBody, hostedBody, startScene } from '../support/e2e-scene.ts';

/**
 * Goal: docs/decisions.md#66, from the provider's outage to its end: customers see it in a browser,
 * merchants in express answers, the operator with a time, and a kill of the gateway loses none of it.
 * Method: a gateway of its own, whose telebirr refuses connections, then works.
 */

/** The way to a server, which can be cut: then it refuses connections. */
class Line {
  readonly port: number;
  readonly #toPort: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;

  constructor(port: number, toPort: number) {
    this.port = port;
    this.#toPort = toPort;
  }

  async mend(): Promise<void> {
    this.#server = createServer((socket) => {
      const onward = connect(this.#toPort, '127.0.0.1');
      for (const one of [socket, onward]) {
        this.#sockets.add(one);
        one.on('error', () => one.destroy()).on('close', () => this.#sockets.delete(one));
      }
      socket.pipe(onward).pipe(socket);
    });
    this.#server.listen(this.port);
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }
}

const port = await freePort();
const standIns = await startStandIns(`http://localhost:${port}`);
const telebirr = standIns.byMethod.TELE_BIRR;
const apiUrl = new URL(String(telebirr.settings.apiBaseUrl));
const line = new Line(await freePort(), Number(apiUrl.port));
apiUrl.port = String(line.port);
const settings = { ...telebirr.settings, apiBaseUrl: apiUrl.href };
const [scene, browser] = await Promise.all([
  startScene({
    name: 'method-outage',
    port,
    variables: [...standIns.variables, `RAIL_TELE_BIRR_PRODUCTION:${JSON.stringify(settings)}`],
  }),
  launchBrowser(),
]);

afterAll(async () => {
  await browser.close();
  await scene.close();
  line.close();
  await standIns.stop();
});

async function openPage(device: Device) {
  const methods = ['TELE_BIRR', 'ETS_SWITCH'];
  const { body } = await scene.production.hosted(hostedBody({ methods }));
  return device.open(body.content);
}

async function express() {
  const { testMode: _, ...body } = expressBody();
  const { body: answer } = await scene.production.express(body);
  return answer as typeof answer & { readonly warnings?: readonly string[] };
}

test('a method whose provider is down says so until one payment reaches it', async () => {
  const device = await Device.start(browser);
  // Open pages poll while the gateway is killed.
  device.tolerated.push(/ERR_CONNECTION_(?:REFUSED|RESET)$/);
  for (let customer = 0; customer < 3; customer += 1) {
    const page = await openPage(device);
    expect(await page.locator('label.method input').first().inputValue()).toBe('TELE_BIRR');
    await choose(page, 'TELE_BIRR');
    await payButton(page).click();
    await page.getByText(english.failure.rail_unavailable).waitFor();
  }

  const page = await openPage(device);
  const last = page.locator('label.method').last();
  expect(await last.locator('input').inputValue()).toBe('TELE_BIRR');
  expect(await last.textContent()).toContain(english.notWorkingNow);
  expect((await express()).warnings?.join()).toContain('TELE_BIRR is not working at the moment');
  expect((await express()).content.status).toBe('FAILURE');

  // The books report ended payments to the operator's object, which outlives a kill.
  await eventually(
    () => operate(scene.gateway.baseUrl, 'rails'),
    (lines) => /production +TELE_BIRR +configured +telebirr-h5 +- +20\d\d-/.test(lines),
  );
  await scene.gateway.kill();
  await scene.gateway.restart();
  await eventually(
    async () => {
      await page.reload();
      return (await last.textContent()) ?? '';
    },
    (text) => text.includes(english.notWorkingNow),
  );

  await line.mend();
  await choose(page, 'TELE_BIRR');
  await payButton(page).click();
  await page.waitForURL((url) => url.port !== String(port));
  const next = await openPage(device);
  await heading(next, english.chooseMethod);
  expect(await next.locator('label.method input').first().inputValue()).toBe('TELE_BIRR');
  expect((await express()).warnings).toBeUndefined();
  await device.putAway();
});
