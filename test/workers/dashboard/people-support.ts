import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { backOfficeConfigOf } from '../../../back-office/config.ts';
import { newInvitation } from '../../../back-office/members/invitations.ts';
import type { Role } from '../../../back-office/members/permissions.ts';
import { sessionOf, sessionTokenOf } from '../../../back-office/members/sessions.ts';
import {
  type CreationOptions,
  type Faults,
  type RequestOptions,
  SoftwareAuthenticator,
} from '../../../lab/harness/software-authenticator.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { databaseRows } from '../../security/storage.ts';
import { ALPHA, call, ORIGIN, type TestMerchant } from '../support.ts';
import { membersCall, type SignedIn, submit } from './support.ts';

/** A browser that keeps cookies and holds a software passkey. */
export class Browser {
  readonly authenticator: SoftwareAuthenticator;
  readonly cookies = new Map<string, string>();

  private constructor(authenticator: SoftwareAuthenticator) {
    this.authenticator = authenticator;
  }

  static async create(counts = false): Promise<Browser> {
    return new Browser(await SoftwareAuthenticator.create(ORIGIN, counts));
  }

  async post(path: string, body: Record<string, unknown> = {}): Promise<Response> {
    const response = await call(path, {
      method: 'POST',
      apiKey: null,
      body,
      headers: {
        'sec-fetch-site': 'same-origin',
        'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/130.0 Mobile Safari/537.36',
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }

  get(path: string): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return call(path, { apiKey: null, headers: { cookie, 'accept-language': 'en' } });
  }

  /**
   * Posts a form of a page. `csrf` among the fields replaces the right token; `cookie` is sent
   * together with the session's cookie.
   */
  async submit(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    cookie = '',
  ): Promise<Response> {
    const member = await this.member();
    return submit({ ...member, cookie: `${member.cookie}; ${cookie}` }, path, fields);
  }

  /** The member signed in here; throws when the browser has no session. */
  async member(): Promise<SignedIn> {
    const cookie = `__Host-kefel_session=${this.cookies.get('__Host-kefel_session')}`;
    const request = new Request(ORIGIN, { headers: { cookie } });
    const token = await sessionTokenOf(request, backOfficeConfigOf(env));
    const session = token && (await sessionOf(token, membersCall()));
    if (session === null) {
      throw new Error('no member is signed in');
    }
    const { memberId, digest, csrfToken } = session;
    return { memberId, sessionId: session.id, digest, cookie, csrf: csrfToken };
  }

  async joinOptions(token: string): Promise<CreationOptions> {
    const response = await this.post('/dashboard/join/options', { token, name: 'Abebe' });
    return response.json();
  }

  async join(token: string, faults: Faults = {}, name = 'Abebe'): Promise<Response> {
    const options = await this.joinOptions(token);
    const credential = await this.authenticator.register(options, faults);
    return this.post('/dashboard/join', { token, name, passkey: 'Phone', credential });
  }

  async signInOptions(): Promise<RequestOptions> {
    return (await this.post('/dashboard/sign-in/options')).json();
  }

  async signIn(faults: Faults = {}): Promise<Response> {
    const credential = await this.authenticator.sign(await this.signInOptions(), faults);
    return this.post('/dashboard/sign-in', { credential });
  }

  async isSignedIn(): Promise<boolean> {
    const first = (await this.get('/dashboard')).headers.get('location') ?? '';
    return /^\/dashboard\/(?:sandbox|production)\//.test(first);
  }
}

export interface InvitationOptions {
  readonly role?: Role;
  readonly memberId?: string | null;
  readonly merchant?: TestMerchant;
}

/** The token of a new link, made by an owner or the operator. */
export async function invite({
  role = 'owner',
  memberId = null,
  merchant = ALPHA,
}: InvitationOptions = {}): Promise<string> {
  const { token, statement } = await newInvitation({
    merchantId: merchant.id,
    name: 'Abebe',
    role,
    memberId,
    invitedBy: { kind: 'operator', id: 'operator', name: 'Operator' },
    nowMs: Date.now(),
  });
  await runBatch(env.BACK_OFFICE_DB, [statement]);
  return token;
}

/** A browser whose member has joined and is signed in. */
export async function joined(options: InvitationOptions = {}, counts = false): Promise<Browser> {
  const browser = await Browser.create(counts);
  const response = await browser.join(await invite(options));
  if (response.status !== 200) {
    throw new Error(`joining failed: ${await response.text()}`);
  }
  return browser;
}

/** The signature that an answer asks for, and the cookie of its challenge. */
export async function signed(
  signer: Browser,
  offer: Response,
  faults: Faults = {},
): Promise<readonly [credential: string, cookie: string]> {
  if (offer.status !== 200) {
    throw new Error(`the form asks for no passkey: ${offer.status} ${await offer.text()}`);
  }
  const cookie = offer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const credential = await signer.authenticator.sign(await offer.json<RequestOptions>(), faults);
  return [JSON.stringify(credential), cookie];
}

/** The fields with the signature that the form asks for, and the cookie of its challenge. */
export async function confirmed(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<[Record<string, string>, string]> {
  const offer = await browser.submit(`${path}/options`, fields);
  const [credential, cookie] = await signed(browser, offer);
  return [{ ...fields, credential }, cookie];
}

/** Posts a form that the member confirms with the browser's passkey. */
export async function submitConfirmed(
  browser: Browser,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit(path, ...(await confirmed(browser, path, fields)));
}

/**
 * How often a held batch checks for its release: a request cannot await another request's promise.
 */
const POLL_MS = 5;

/**
 * Holds batches until `count` of them have reached the database, so that every request reads the
 * state before any of the others writes. Then runs what `change` makes of them. Requests that write
 * several batches meet before each of the first `rounds`.
 */
export function meetBeforeBatch(
  count: number,
  change = (statements: D1PreparedStatement[]) => statements,
  rounds = 1,
  database = env.BACK_OFFICE_DB,
): void {
  const batch = database.batch.bind(database);
  let arrived = 0;
  vi.spyOn(database, 'batch').mockImplementation(async (statements) => {
    arrived += 1;
    const awaited = Math.min(Math.ceil(arrived / count), rounds) * count;
    while (arrived < awaited) {
      await scheduler.wait(POLL_MS);
    }
    return batch(change(statements)) as ReturnType<typeof batch<never>>;
  });
}

/** Holds one batch at the database, after `passing` others, until it is released; later ones pass. */
export function holdNextBatch(passing = 0): { isHere(): Promise<void>; release(): void } {
  const database = env.BACK_OFFICE_DB;
  const batch = database.batch.bind(database);
  let hasArrived = false;
  let isReleased = false;
  const spy = vi.spyOn(database, 'batch');
  for (let passed = 0; passed < passing; passed += 1) {
    spy.mockImplementationOnce(batch);
  }
  spy.mockImplementationOnce(async (statements) => {
    hasArrived = true;
    while (!isReleased) {
      await scheduler.wait(POLL_MS);
    }
    return batch(statements) as ReturnType<typeof batch<never>>;
  });
  return {
    isHere: async () => {
      while (!hasArrived) {
        await scheduler.wait(POLL_MS);
      }
    },
    release: () => {
      isReleased = true;
    },
  };
}

/** The number of rows in each of our tables; of the audit logs together. */
export async function rowCounts(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const [name, rows] of Object.entries(await databaseRows())) {
    counts[name] = rows.length;
  }
  return counts;
}

/** The one answer to every wrong request to join or to sign in. */
export async function expectRefusal(response: Response): Promise<void> {
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({
    message: expect.stringContaining('nothing was changed'),
  });
}
