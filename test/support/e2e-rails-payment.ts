import { expect } from 'vitest';
import { wireAmount } from '../../lab/harness/wire-amount.ts';
import { openedOrder } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import type { CustomerAct, Plan, StandIn, StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import type { StandIns } from '../../scripts/stand-ins/start-all.ts';
import type { TelebirrH5StandIn } from '../../scripts/stand-ins/telebirr-h5.ts';
import { TRAITS } from '../../src/engine/domain/method.ts';
import type { Endpoint } from './e2e-merchant-server.ts';
import { type Cell, commissionMinor, REDIRECTS } from './e2e-rails-table.ts';
import {
  type ExpressContent,
  eventually,
  expressBody,
  hostedBody,
  type JsonObject,
  newId,
  newPhone,
  type Scene,
} from './e2e-scene.ts';
import { type Form, formTo, open, type Page, submit } from './e2e-visitor.ts';
import type { Payment, VerificationKeys } from './e2e-webhook.ts';
import { openingOf } from './rails/players.ts';

export interface RailPaymentOptions {
  /** What the stand-in does with the payment. */
  readonly plan?: Plan;
  readonly expireIn?: number;
  /** More fields of the request. */
  readonly terms?: JsonObject;
}

export interface RailPaymentContext extends RailPaymentOptions {
  readonly scene: Scene;
  readonly standIns: StandIns;
  readonly keys: VerificationKeys;
  readonly cell: Cell;
  /** Unique among the scene's payments. */
  readonly number: number;
}

/** One production payment: its merchant, its customer, and its provider's stand-in. */
export class RailPayment {
  readonly cell: Cell;
  readonly uniqueId = newId();
  readonly hook: Endpoint;
  readonly standIn: StandIn;
  readonly amountMinor: number;
  readonly commissionMinor: number;
  /** With the commission where the customer pays it. */
  readonly chargedMinor: number;
  readonly phone: string;
  /** Verify its events. */
  readonly keys: VerificationKeys;
  readonly scene: Scene;
  /** How many events were checked: there must be no more. */
  eventsChecked = 0;
  /** The customer's current page, the provider's or ours; null for a prompt on the phone. */
  page: Page | null = null;
  /** The express answer; null for a hosted payment. */
  answer: ExpressContent | null = null;
  readonly #telebirr: TelebirrH5StandIn;
  readonly #expireIn: number;
  readonly #moreTerms: JsonObject;
  readonly #idempotencyKey = newId();
  #checkoutUrl: string | null = null;
  #form: Form | null = null;
  /** The provider's page of the latest attempt. */
  #railPageUrl: string | null = null;

  constructor(context: RailPaymentContext) {
    const { scene, standIns, keys, cell, number, plan, expireIn = 600, terms = {} } = context;
    this.scene = scene;
    this.cell = cell;
    this.keys = keys;
    this.hook = scene.server.endpoint();
    this.standIn = standIns.byMethod[cell.method];
    this.#telebirr = standIns.byMethod.TELE_BIRR;
    // In steps in which no commission is rounded.
    this.amountMinor = 10_000 + 200 * number;
    const commission = commissionMinor(cell.method, this.amountMinor);
    // M-PESA takes no cents, so the commission on top is rounded up to a whole birr.
    this.commissionMinor =
      cell.method === 'M_PESA' && this.customerPaysCommission
        ? Math.ceil(commission / 100) * 100
        : commission;
    this.chargedMinor = this.amountMinor + (this.customerPaysCommission ? this.commissionMinor : 0);
    this.phone = cell.method === 'M_PESA' ? newPhone('7') : newPhone();
    this.#expireIn = expireIn;
    this.#moreTerms = terms;
    this.plan(plan ?? {});
  }

  get isRedirect(): boolean {
    return REDIRECTS.includes(this.cell.method);
  }

  /** So that every method is paid in both ways. */
  get customerPaysCommission(): boolean {
    return this.cell.kind === 'hosted';
  }

  /** The customer's page of a hosted payment. */
  get checkoutUrl(): string {
    if (this.#checkoutUrl === null) {
      throw new Error('no hosted payment');
    }
    return this.#checkoutUrl;
  }

  /** From now on the stand-in treats this payment by this plan. */
  plan(plan: Plan): void {
    this.standIn.plan(wireAmount(this.standIn, this.chargedMinor), plan);
  }

  /** Creates a hosted payment; an express payment is created by its start. */
  async create(): Promise<void> {
    if (this.cell.kind === 'hosted') {
      const answer = await this.scene.production.hosted(
        hostedBody({ ...this.#terms(), methods: [this.cell.method] }),
      );
      expect(answer.body).toMatchObject({ status: 200 });
      this.#checkoutUrl = answer.body.content;
    }
  }

  /**
   * The merchant's express call, or the customer's choice; then the customer goes to the provider.
   */
  async start(): Promise<void> {
    if (this.cell.kind === 'hosted') {
      this.#form = formTo(await open(this.checkoutUrl), '/attempts');
      await this.startAgain();
      return;
    }
    const answer = await this.callExpress();
    expect(answer.status).toBe(200);
    this.answer = answer.body.content;
    this.#railPageUrl = this.#payUrl(this.answer);
    this.page = this.#railPageUrl === null ? null : await open(this.#railPageUrl);
  }

  /** Where the customer pays: the merchant's app, or its mini app, opens telebirr's. */
  #payUrl({ paymentUrl, telebirr = null }: ExpressContent): string | null {
    return telebirr === null ? paymentUrl : this.#telebirr.appUrl(openingOf(telebirr));
  }

  /** The merchant's call, always the same, like a merchant that repeats it after a lost answer. */
  callExpress() {
    const { method, telebirrForm = null } = this.cell;
    const body = expressBody({
      ...this.#terms(),
      method,
      telebirrForm,
      phoneNumber: `0${this.phone}`,
      testMode: null,
    });
    return this.scene.production.express(body, { 'idempotency-key': this.#idempotencyKey });
  }

  /** Posts the customer's choice again, by the same form. */
  async startAgain(): Promise<void> {
    if (this.#form === null) {
      throw new Error('no method was chosen yet');
    }
    const needsPhone = TRAITS[this.cell.method].needsPhone;
    this.page = await submit(this.#form, needsPhone ? { phone: this.phone } : {});
    this.#railPageUrl = this.page.url;
  }

  /** As the merchant's status call returns it. */
  async status(): Promise<Payment> {
    const answer = await this.scene.production.status(this.uniqueId);
    expect(answer.body).toMatchObject({ status: 200, message: 'Payment found' });
    return answer.body.content;
  }

  /** The customer's page, once it offers another attempt. */
  async payablePage(): Promise<Page> {
    await eventually(
      () => this.status(),
      ({ status }) => status === 'OPEN',
    );
    return open(this.checkoutUrl);
  }

  /** The reference of the latest attempt, as soon as it exists. */
  async reference(): Promise<string> {
    const ask = async () => (await this.scene.production.status(this.uniqueId)).body.content;
    const payment = await eventually(ask, (content) => (content?.transaction ?? null) !== null);
    return payment.transaction?.transactionId ?? '';
  }

  /** The latest attempt's order at the provider, as soon as it exists. */
  async order(): Promise<StandInOrder> {
    return this.standIn.order(
      this.cell.method === 'CBE' ? this.#sealedOrderId() : await this.reference(),
    );
  }

  /** The customer acts on the provider's page, or else on the phone. */
  async act(act: CustomerAct): Promise<void> {
    if (!this.isRedirect) {
      expect(await (await this.order()).act(act)).toMatchObject({ status: 200 });
      return;
    }
    const form = this.page?.forms[0];
    const button = form?.buttons.find(({ value }) => value === act);
    if (form === undefined || button === undefined) {
      throw new Error(`no button "${act}" on ${this.page?.url} ("${this.page?.heading}")`);
    }
    this.page = await submit(form, {}, button);
  }

  #terms(): JsonObject {
    return {
      amount: this.amountMinor / 100,
      paymentIntentUniqueId: this.uniqueId,
      callbackUrl: this.hook.url,
      refundEvents: true,
      expireIn: this.#expireIn,
      commissionPaidByCustomer: this.customerPaysCommission,
      ...this.#moreTerms,
    };
  }

  /** Only its page's address names CBE's order: the bank gets no other request. */
  #sealedOrderId(): string {
    const sealed = new URL(this.#railPageUrl ?? '').searchParams.get('r') ?? '';
    const {
      user = '',
      password = '',
      tillCode = '',
      secret = '',
    } = this.standIn.settings as Record<string, string>;
    return openedOrder({ user, password, tillCode, secret }, sealed)?.orderId ?? '';
  }
}
