import { equal, ok } from 'node:assert/strict';
import { demoLogo } from '../../../scripts/dev/demo-merchant.ts';
import { checksumOf } from '../../../src/control/merchants/bank-code.ts';
import { checkoutPage, decide } from '../../harness/customer.ts';
import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';
import { operate } from './operators.ts';
import { type Answer, eventually, hiddenFields, type Play, postForm, send, shows } from './play.ts';

/** What an owner does on the dashboard: every function of the interface that it uses. */

type Fields = Readonly<Record<string, string>>;

export class Owner {
  readonly #play: Play;
  readonly #authenticator: SoftwareAuthenticator;
  readonly #cookies = new Map<string, string>();

  private constructor(play: Play, authenticator: SoftwareAuthenticator) {
    this.#play = play;
    this.#authenticator = authenticator;
  }

  /** An owner joins the merchant through the operator's invitation, with a passkey. */
  static async join(play: Play): Promise<Owner> {
    const owner = new Owner(play, await SoftwareAuthenticator.create(play.system.origin));
    const name = 'Abebe Bekele';
    const invitations = `/merchants/${play.merchantId}/invitations`;
    const { url } = await operate<{ readonly url: string }>(play, invitations, {
      name,
      role: 'owner',
    });
    const token = new URL(url).searchParams.get('token');
    const options = JSON.parse(
      (await owner.#postJson('/dashboard/join/options', { token, name })).text,
    );
    const credential = await owner.#authenticator.register(options);
    await owner.#postJson('/dashboard/join', { token, name, passkey: 'Phone', credential });
    return owner;
  }

  /** Opens a page, which must show these texts. */
  async see(path: string, ...texts: readonly string[]): Promise<string> {
    return shows(path, await this.get(path), texts);
  }

  get(path: string): Promise<Answer> {
    return send(this.#play, path, { headers: this.#headers() });
  }

  /** Sends a form with the token of a page. */
  async post(path: string, fields: Fields = {}, status = 303): Promise<Answer> {
    const csrf = await this.#csrf();
    const sent = { headers: this.#headers(), status };
    return this.#keepCookies(await postForm(this.#play, path, { csrf, ...fields }, sent));
  }

  /** Sends a form that the passkey confirms. */
  async confirm(path: string, fields: Fields, status = 303): Promise<Answer> {
    const offer = await this.post(`${path}/options`, fields, 200);
    const credential = await this.#authenticator.sign(JSON.parse(offer.text));
    return this.post(path, { ...fields, credential: JSON.stringify(credential) }, status);
  }

  /** Sends a form with a file. */
  async upload(path: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const form = new FormData();
    form.set('csrf', await this.#csrf());
    form.set(name, new File([bytes], 'logo.png', { type: 'image/png' }));
    const headers = { ...this.#headers(), 'sec-fetch-site': 'same-origin' };
    const url = this.#play.system.origin + path;
    const { status } = await fetch(url, {
      method: 'POST',
      headers,
      body: form,
      redirect: 'manual',
    });
    equal(status, 303, `POST ${path}`);
  }

  async #postJson(path: string, body: object): Promise<Answer> {
    const headers = {
      ...this.#headers(),
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = this.#keepCookies(await send(this.#play, path, sent));
    ok(answer.status < 300, `POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer;
  }

  #keepCookies(answer: Answer): Answer {
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }

  #headers() {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { cookie, 'accept-language': 'en', 'user-agent': 'Mozilla/5.0 (Linux; Android 14)' };
  }

  async #csrf(): Promise<string> {
    return hiddenFields(await this.see('/dashboard/account')).csrf ?? '';
  }
}

/** A day in Addis Ababa, so many days after today. */
function day(after: number): string {
  return new Date(Date.now() + (3 + 24 * after) * 3_600_000).toISOString().slice(0, 10);
}

const SANDBOX = '/dashboard/sandbox';
/** The form of a key works once by this id. */
const FORM = 'A'.repeat(22);

/** A key of each environment. Production asks for the passkey. */
export async function createKeys(owner: Owner) {
  const shown = await owner.post(`${SANDBOX}/keys`, { name: 'Server', form: FORM }, 200);
  const fields = { name: 'Server', form: FORM };
  const production = await owner.confirm('/dashboard/production/keys', fields, 200);
  const [sandboxKey = ''] = /kfl_test_\w{49}/.exec(shown.text) ?? [];
  const [productionKey = ''] = /kfl_live_\w{49}/.exec(production.text) ?? [];
  ok(sandboxKey !== '' && productionKey !== '', 'the pages show the new keys');
  return { sandboxKey, productionKey };
}

/** Naming, rolling and revoking another key. */
export async function manageKeys(owner: Owner): Promise<void> {
  await owner.post(`${SANDBOX}/keys`, { name: 'Till', form: 'B'.repeat(22) }, 200);
  const list = await owner.see(`${SANDBOX}/keys`, 'Server', 'Till');
  const paths = [
    ...new Set([...list.matchAll(/\/dashboard\/sandbox\/keys\/(\w+)/g)].map(([path]) => path)),
  ];
  const pages = await Promise.all(
    paths.map(async (path) => [path, (await owner.get(path)).text] as const),
  );
  const [path = ''] = pages.find(([, page]) => page.includes('Till')) ?? [];
  await owner.post(`${path}/name`, { name: 'Old till' });
  await owner.see(path, 'Old till');
  await owner.post(`${path}/roll`, { overlap: 'day', form: 'C'.repeat(22) }, 200);
  await owner.post(`${path}/revoke`);
}

/** A bank's code for signs, whose name is of another merchant. */
const ACCOUNT = '28610032581b314e257f41bfbbdc6384daa31d160107ETSETAA02101234567890';
const CODE = `000201010211${ACCOUNT}5204541153032305802ET5911Addis Books6011Addis Ababa6304`;

/** Branding, receipts' details and methods. */
export async function changeSettings(owner: Owner): Promise<void> {
  await owner.post('/dashboard/branding/color', { color: '#123456' });
  await owner.upload('/dashboard/branding/logo', 'logo', (await demoLogo()).bytes as never);
  await owner.post('/dashboard/branding/business', { legalName: 'Abebe Trading PLC' });
  const bankCode = CODE + checksumOf(CODE);
  await owner.post('/dashboard/branding/bank-code', { bankCode }, 200);
  const confirmedName = 'Addis Books';
  await owner.confirm('/dashboard/branding/bank-code', { bankCode, confirmedName });
  await owner.see('/dashboard/branding', '#123456', 'Abebe Trading PLC', confirmedName);
  await owner.post(`${SANDBOX}/methods/CBE/disable`);
  await owner.post(`${SANDBOX}/methods/CBE/enable`);
  await owner.see(`${SANDBOX}/methods`, 'telebirr');
  await owner.see('/dashboard/audit');
}

/** The pages of payments, and a member's refund and cancellation. */
export async function handlePayments(owner: Owner, prefix: string): Promise<void> {
  const paid = `${SANDBOX}/payments/${prefix}-paid`;
  await owner.see(
    `${SANDBOX}/overview?since=${day(-1)}&until=${day(0)}`,
    '2,025.50',
    '50.00',
    '10.25',
    '1,965.50',
  );
  await owner.see(`${SANDBOX}/requests`);
  const csv = await owner.see(
    `${SANDBOX}/overview.csv?since=${day(-1)}&until=${day(0)}`,
    `${prefix}-paid`,
  );
  equal(csv.includes('undefined'), false);
  await owner.see(`${SANDBOX}/payments`, `${prefix}-paid`, 'Sara Tesfaye');
  await owner.see(`${SANDBOX}/payments.csv`, `${prefix}-paid`, 'Two bags of coffee');
  const search = await owner.post(`${SANDBOX}/payments`, { search: `${prefix}-paid` });
  await owner.see(search.headers.get('location') ?? '', `${prefix}-paid`);
  equal((await owner.get(`${SANDBOX}/payments/${prefix}-unknown`)).status, 404);
  await owner.see(paid, 'Sara Tesfaye', '1,000', 'PAYMENT_SUCCESS');
  const hidden = hiddenFields(await owner.see(`${paid}/refund`));
  const asked = { ...hidden, amount: '100.26', reason: 'By a member' };
  const refund = hidden.refund ?? '';
  await owner.post(`${paid}/refund/review`, asked, 200);
  await owner.confirm(`${paid}/refund`, asked, 200);
  await owner.see(paid, 'By a member');
  await owner.post(`${paid}/refunds/${refund}/cancel`);
  await owner.post(`${SANDBOX}/payments/${prefix}-open/cancel`);
  await eventually(
    'the list has the refund',
    async () => (await owner.get(`${SANDBOX}/refunds`)).text,
    /100\.26.*100\.26/s,
  );
}

/** Sales at the till, and whether a customer paid. */
export async function sellAtTill(owner: Owner, play: Play, prefix: string): Promise<void> {
  const till = `${SANDBOX}/till`;
  const sale = { nonce: prefix, amount: '250', note: 'Table 4' };
  const path = (await owner.post(till, sale)).headers.get('location') ?? '';
  await owner.see(path, 'Table 4', '/checkout/');
  await owner.post(`${path}/prompt`, { method: 'M_PESA', phone: '0711234567', attempts: '0' });
  const { simulatorUrl } = checkoutPage(await owner.see(path));
  const approval = decide(simulatorUrl ?? '', 'approve');
  await postForm(play, approval.url, Object.fromEntries(new URLSearchParams(approval.body)));
  await eventually(
    'the sale is paid',
    async () => JSON.parse((await owner.get(`${path}/state`)).text),
    { isPaid: true },
  );
  const other = await owner.post(till, { ...sale, amount: '70' });
  await owner.post(`${other.headers.get('location')}/cancel`);
  await owner.see(till, '250.00', '70.00', 'Table 4');
  const asked = await owner.post(`${SANDBOX}/did-pay`, { shown: `${prefix}-paid` });
  await owner.see(asked.headers.get('location') ?? '', `${prefix}-paid`);
}

/** Payment links on their pages. */
export async function manageLinks(owner: Owner): Promise<void> {
  const links = `${SANDBOX}/links`;
  await owner.see(`${links}/new`);
  const fields = { title: 'Coffee', kind: 'fixed', amount: '450', currency: 'ETB' };
  const { headers } = await owner.post(links, fields);
  const path = headers.get('location')?.split('?')[0] ?? '';
  await owner.post(path, { ...fields, title: 'Coffee, 500 g' });
  await owner.see(path, 'Coffee, 500 g', '/pay/');
  await owner.see(`${path}/sign`, 'Coffee, 500 g');
  await owner.post(`${path}/deactivate`);
  await owner.post(`${path}/activate`);
  await owner.see(links, 'Coffee, 500 g');
}

/** The forms of notifications. The operator has set up no way to send them. */
export async function connectPeople(owner: Owner): Promise<void> {
  const people = `${SANDBOX}/notifications`;
  const asked = { way: 'email', address: 'sara@example.com', eventType: 'PAYMENT_SUCCESS' };
  for (const scope of ['', 'link:none', 'till:none']) {
    await owner.post(people, { ...asked, scope, language: 'en' }, 400);
  }
  await owner.post(`${people}/connections/unknown`, { code: '123456' }, 404);
}

/** Endpoints, their secrets, test webhooks and events. */
export async function handleWebhooks(owner: Owner, play: Play, prefix: string): Promise<void> {
  const webhooks = `${SANDBOX}/webhooks`;
  const url = `${play.hooks.origin}/${play.merchantId}/member`;
  await owner.post(`${webhooks}/callbacks`, { signatureHeader: 'X-Shop-Signature' });
  await owner.see(webhooks, 'X-Shop-Signature');
  await owner.see(`${webhooks}/endpoints/new`);
  const created = await owner.post(
    `${webhooks}/endpoints`,
    { url, description: 'A member made it' },
    200,
  );
  const path = /\/dashboard\/sandbox\/webhooks\/endpoints\/we_\w+/.exec(created.text)?.[0] ?? '';
  await owner.see(path, 'A member made it');
  await owner.post(path, { url, description: 'Changed' });
  await owner.post(`${path}/disable`);
  await owner.post(`${path}/enable`);
  await owner.post(`${path}/resume`);
  const rotated = await owner.post(`${path}/secrets`, { overlapHours: '24' }, 200);
  equal(/whsec_/.test(rotated.text), true, 'the page shows the new secret');
  const secrets = await owner.see(path);
  const shown = [...secrets.matchAll(/\/secrets\/([\w-]+)\/show/g)].map(([, id]) => id);
  await owner.post(`${path}/secrets/${shown[0]}/show`, {}, 200);
  const ending = [...secrets.matchAll(/\/secrets\/([\w-]+)\/end/g)].map(([, id]) => id);
  await owner.post(`${path}/secrets/${ending[0]}/end`);
  await owner.post(`${webhooks}/secrets`, { overlapHours: '24' }, 200);
  const tested = await owner.post(`${webhooks}/test`, { url }, 200);
  equal(/200/.test(tested.text), true, 'the page shows the answer of the endpoint');
  const list = await owner.see(`${webhooks}/events?type=REFUND_SUCCESS`, `${prefix}-paid`);
  const eventPath = new RegExp(`${webhooks}/events/${prefix}-paid/\\d+`).exec(list)?.[0] ?? '';
  await owner.see(eventPath, 'REFUND_SUCCESS', `${prefix}-paid`);
  await owner.post(`${eventPath}/resend`);
  await owner.see(`${webhooks}/resend`);
  const today = new Date().toISOString().slice(0, 10);
  await owner.post(`${webhooks}/resend`, { from: today, to: today }, 200);
  await owner.post(`${path}/delete`);
}
