import {
  formPost,
  type HttpAnswer,
  type HttpRequest,
  jsonPost,
} from '../../scripts/gateway/http.ts';
import { fieldIn } from '../harness/customer.ts';
import { SoftwareAuthenticator } from '../harness/software-authenticator.ts';
import { type Caller, TRIES_MAX, Unexpected } from './caller.ts';
import type { PaymentRecord } from './observations.ts';
import type { Plan, RefundPlan } from './plan.ts';

const NAME = 'Chaos';

/** An owner of the merchant who works on the dashboard, with a passkey in software. */
export class Member {
  #caller: Caller;
  readonly #authenticator: SoftwareAuthenticator;
  readonly #origin: string;
  #cookie: string;
  #csrf: string;

  private constructor(
    caller: Caller,
    authenticator: SoftwareAuthenticator,
    session: { readonly origin: string; readonly cookie: string; readonly csrf: string },
  ) {
    this.#caller = caller;
    this.#authenticator = authenticator;
    this.#origin = session.origin;
    this.#cookie = session.cookie;
    this.#csrf = session.csrf;
  }

  /** Uses an invitation, before the kills begin: the link works once. */
  static async join(caller: Caller, link: string): Promise<Member> {
    const { origin, searchParams } = new URL(link);
    const token = searchParams.get('token');
    const authenticator = await SoftwareAuthenticator.create(origin);
    const post = async (path: string, cookie: string, body: object) => {
      const url = `${origin}/dashboard/${path}`;
      return caller.expect(jsonPost(url, fromPage(cookie), JSON.stringify(body)), 200);
    };
    const offer = await post('join/options', '', { token, name: NAME });
    const credential = await authenticator.register(JSON.parse(offer.body));
    const joined = await post('join', cookiesIn(offer), {
      ...{ token, name: NAME, passkey: NAME, credential },
    });
    const cookie = cookiesIn(joined);
    const url = `${origin}/dashboard/account`;
    const page = await caller.expect({ method: 'GET', url, headers: fromPage(cookie) }, 200);
    return new Member(caller, authenticator, { origin, cookie, csrf: requiredField(page, 'csrf') });
  }

  /** Signs in with the passkey, as in a browser without a session. */
  async signIn(caller: Caller): Promise<void> {
    this.#caller = caller;
    const post = (path: string, cookie: string, body: object) =>
      this.#caller.expect(
        jsonPost(`${this.#origin}/dashboard/${path}`, fromPage(cookie), JSON.stringify(body)),
        200,
      );
    const offer = await post('sign-in/options', '', {});
    const credential = await this.#authenticator.sign(JSON.parse(offer.body));
    const signedIn = await post('sign-in', cookiesIn(offer), { credential });
    this.#cookie = cookiesIn(signedIn);
    this.#csrf = requiredField(await this.read('account'), 'csrf');
  }

  /** A page of the dashboard. */
  read(path: string): Promise<HttpAnswer> {
    const url = `${this.#origin}/dashboard/${path}`;
    return this.#caller.expect({ method: 'GET', url, headers: fromPage(this.#cookie) }, 200);
  }

  /** Cancels the payment by its page's button; a second click changes nothing. */
  async cancel(plan: Plan): Promise<void> {
    await this.#caller.expect(this.#form(`${pathOf(plan)}/cancel`, {}), 303);
  }

  /**
   * Refunds by the form, which the passkey confirms. Starts again when an answer is lost: the page
   * refuses the refund then, if it was accepted.
   */
  async refund({ plan: payment }: PaymentRecord, plan: RefundPlan): Promise<void> {
    const path = `${pathOf(payment)}/refund`;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const url = `${this.#origin}${path}`;
      const page = await this.#caller.expect(
        { method: 'GET', url, headers: fromPage(this.#cookie) },
        ...[200, 409],
      );
      if (page.status === 409) {
        return;
      }
      const fields = {
        refund: plan.id,
        transaction: requiredField(page, 'transaction'),
        amount: ((plan.amountMinor ?? payment.amountMinor) / 100).toFixed(2),
        reason: '',
      };
      const answer = await this.#confirmed(path, fields);
      if (answer !== null) {
        if (answer.status !== 200 && answer.status !== 409) {
          throw new Unexpected(`the refund's form answered ${answer.status} ${answer.body}`);
        }
        return;
      }
    }
    throw new Unexpected('the refund by the dashboard was never answered');
  }

  /** The answer to the signed form, or why it asks for no passkey; null when it was lost. */
  async #confirmed(
    path: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<HttpAnswer | null> {
    const offer = await this.#caller.expect(this.#form(`${path}/options`, fields), 200, 409);
    if (offer.status !== 200) {
      return offer;
    }
    const credential = JSON.stringify(await this.#authenticator.sign(JSON.parse(offer.body)));
    return this.#caller.try(this.#form(path, { ...fields, credential }, cookiesIn(offer)));
  }

  #form(path: string, fields: Readonly<Record<string, string>>, cookie = ''): HttpRequest {
    const request = formPost(this.#origin + path, { csrf: this.#csrf, ...fields });
    const headers = { ...request.headers, ...fromPage(`${this.#cookie}; ${cookie}`) };
    return { ...request, headers };
  }
}

function pathOf({ environment, uniqueId }: Plan): string {
  return `/dashboard/${environment}/payments/${uniqueId}`;
}

/** As a browser marks the requests of our own pages. */
function fromPage(cookie: string): Readonly<Record<string, string>> {
  return { 'sec-fetch-site': 'same-origin', cookie };
}

/** Without those that the answer deletes. */
function cookiesIn({ headers }: HttpAnswer): string {
  const cookies = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.filter((cookie) => !cookie.endsWith('=')).join('; ');
}

/** The value of a form's hidden field. */
function requiredField({ status, body }: HttpAnswer, name: string): string {
  const value = fieldIn(body, name);
  if (status !== 200 || value === null) {
    throw new Unexpected(`${status}, a page without the field ${name}: ${body.slice(0, 300)}`);
  }
  return value;
}
