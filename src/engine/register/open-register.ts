import { concurrently } from '../../kit/platform/concurrently.ts';
import { prepare, readInTime } from '../../kit/platform/database.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import type { Cursor, Page } from '../../kit/platform/paging.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { paymentRetentionMs } from '../config.ts';
import { earliest } from '../domain/earliest.ts';
import type { OpeningResult } from '../links/openings.ts';
import type { LinkClaim, PaymentLink, StoredLink } from '../links/payment-link.ts';
import type { Place, PlaceReport } from '../links/places.ts';
import {
  type LinkCreated,
  type LinkCreation,
  type LinkFilter,
  PaymentLinks,
} from './link-table.ts';
import type {
  ClaimResult,
  CountedRefund,
  LostRefund,
  RefundClaim,
  RegisterBackup,
  Settlement,
  UnsettledClaim,
} from './protocol.ts';
import { REFERENCE_TABLE, References } from './references.ts';
import { REFUND_TABLES, RefundClaims, type StoredRefund } from './refund-claims.ts';
import { type BookVolume, copyStatement, VOLUME_TABLE, Volumes } from './volumes.ts';

/** What the register needs of the payments' objects: `src/connected-objects.ts` passes it in. */
export interface RegisterPorts {
  /** Asks a payment's object for the outcome of a claim. May throw. */
  settleClaim(env: Env, tenant: Tenant, claim: UnsettledClaim): Promise<Settlement>;
}

/** Claims that one alarm settles: six at a time, within a minute even if each takes seconds. */
const SETTLED_MAX = 100;

type RegisterState = Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil'>;

/**
 * The code of a register, which `MerchantRegister` loads. Each method decides and commits without an
 * await.
 */
export class OpenRegister {
  readonly #ctx: RegisterState;
  readonly #env: Env;
  readonly #ports: RegisterPorts;
  readonly #refunds: RefundClaims;
  readonly #references: References;
  readonly #volumes: Volumes;
  readonly #links: PaymentLinks;
  readonly #alarm: ObjectAlarm;

  constructor(ctx: RegisterState, env: Env, ports: RegisterPorts) {
    this.#ctx = ctx;
    this.#env = env;
    this.#ports = ports;
    this.#refunds = new RefundClaims(ctx.storage.sql);
    this.#references = new References(ctx.storage.sql, paymentRetentionMs(env));
    this.#volumes = new Volumes(ctx.storage.sql);
    this.#links = new PaymentLinks(ctx.storage.sql);
    this.#alarm = new ObjectAlarm(ctx, {
      wakeAtMs: () => this.#wakeAtMs(),
      work: () => this.#work(),
    });
  }

  /** Claims a refund's id and its part of the day's limit, before the payment's object decides. */
  async claimRefund(claim: RefundClaim): Promise<ClaimResult> {
    await this.#alarm.learn();
    this.#alarm.runIfOverdue(this.#wakeAtMs());
    return this.#commit(() => {
      const result = this.#refunds.claim(claim, Date.now());
      if (result.type === 'claimed') {
        this.#arm();
      }
      return result;
    });
  }

  /** Releases the claim of a request that the payment's object has rejected. */
  releaseRefund(refundUniqueId: string, claimId: string, isVoid: boolean): void {
    this.#commit(() => this.#refunds.release(refundUniqueId, claimId, isVoid));
  }

  /** Records the stages of a payment's refunds. A repeated report writes no row. */
  recordRefunds(paymentUniqueId: string, refunds: readonly CountedRefund[]): void {
    this.#alarm.runIfOverdue(this.#wakeAtMs());
    this.#commit(() => this.#record(paymentUniqueId, refunds));
  }

  /** The payment that has the refund or its claim, or null. The register never lags. */
  paymentOfRefund(refundUniqueId: string): string | null {
    this.#alarm.runIfOverdue(this.#wakeAtMs());
    return this.#exists() ? this.#refunds.paymentOf(refundUniqueId) : null;
  }

  /** The refunds after an id, in the order of their ids, for the backup. */
  exportRefunds(after: string, limit: number): readonly StoredRefund[] {
    return this.#exists() ? this.#refunds.storedAfter(after, limit) : [];
  }

  /**
   * Records which payment has a reference, before Kefel calls the provider. False when another
   * payment has it.
   */
  async holdReference(reference: string, paymentUniqueId: string): Promise<boolean> {
    await this.#alarm.learn();
    return this.#commit(() => {
      const isHeld = this.#references.hold(reference, paymentUniqueId);
      this.#arm();
      return isHeld;
    });
  }

  /** The payment that has a reference. Null is certain: references are recorded before use. */
  paymentOfReference(reference: string): string | null {
    return this.#exists() ? this.#references.paymentOf(reference) : null;
  }

  /** The volumes of the merchant's book, the oldest first. */
  volumes(): readonly BookVolume[] {
    return this.#exists() ? this.#volumes.all() : [{ volume: 0, openedAtMs: null }];
  }

  /**
   * Opens the book's next volume, which new payments belong to once D1 has its copy. Repeated calls
   * change nothing.
   */
  openVolume(volume: number): void {
    this.#commit(() => {
      this.#volumes.open(volume, Date.now());
      this.#arm();
    });
  }

  /** Creates a payment link, unless its id or its Idempotency-Key is taken. */
  createLink(creation: LinkCreation): LinkCreated {
    return this.#commit(() => this.#links.create(creation));
  }

  /** The answer to a repeated creation, or null. */
  linkAnswer(claim: LinkClaim): LinkCreated | null {
    return this.#links.answerTo(claim);
  }

  /** The link with this `paymentLinkUniqueId`, or null. */
  link(id: string): PaymentLink | null {
    return this.#links.byId(id);
  }

  /** The link with this code, which its address carries, or null. */
  linkOfCode(code: string): PaymentLink | null {
    return this.#links.byCode(code);
  }

  /** The links, newest first. */
  links(filter: LinkFilter, cursor: Cursor | null, limit: number): Page<PaymentLink> {
    return this.#links.page(filter, cursor, limit);
  }

  /** False when another change came first. */
  changeLink(link: PaymentLink): boolean {
    return this.#commit(() => this.#links.change(link));
  }

  /** Counts a submission of a link's page, within the link's limit. Null: there is no such link. */
  openLink(code: string, hasWaited: boolean): OpeningResult | null {
    // A link of a register that was not restored yet must not create its tables.
    return this.#links.byCode(code) === null
      ? null
      : this.#commit(() => this.#links.open(code, Date.now(), hasWaited));
  }

  /**
   * Reserves a place at a link with a maximum, before the payment's object starts the attempt. False
   * when none is left.
   */
  reservePlace(code: string, paymentUniqueId: string, attempt: number, untilMs: number): boolean {
    const nowMs = Date.now();
    return this.#alarm.commit(() =>
      this.#links.reserve(code, paymentUniqueId, attempt, untilMs, nowMs),
    );
  }

  /** What became of the payment's place. Repeated calls change nothing. */
  settlePlace(code: string, paymentUniqueId: string, report: PlaceReport): Place | null {
    const nowMs = Date.now();
    return this.#alarm.commit(() => this.#links.settle(code, paymentUniqueId, report, nowMs));
  }

  /** The links after an id, in the order of their ids, for the backup. */
  exportLinks(after: string, limit: number): readonly StoredLink[] {
    return this.#links.storedAfter(after, limit);
  }

  /** Brings back rows of a backup. Repeated calls change nothing, and newer rows stay. */
  async restore({
    refunds,
    volumes,
    references,
    payments,
    links,
  }: Partial<RegisterBackup>): Promise<void> {
    await this.#alarm.learn();
    this.#commit(() => {
      for (const refund of refunds ?? []) {
        this.#refunds.restore(refund);
      }
      for (const volume of volumes ?? []) {
        this.#volumes.restore(volume);
      }
      for (const { reference, paymentUniqueId } of references ?? []) {
        this.#references.hold(reference, paymentUniqueId);
      }
      for (const payment of payments ?? []) {
        this.#refunds.restorePayment(payment);
      }
      for (const link of links ?? []) {
        this.#links.restore(link);
      }
      this.#arm();
    });
  }

  /** The refunds of a backup that their payments have come back without, a bounded number. */
  lostRefunds(limit: number): readonly LostRefund[] {
    return this.#exists() ? this.#refunds.lostByPayments(limit) : [];
  }

  /** While D1 is down, the alarm retries, and new payments belong to the previous volume. */
  async #copyVolumes(): Promise<void> {
    const tenant = tenantIn(this.#ctx.id.name);
    for (const volume of this.#volumes.uncopied()) {
      await readInTime(() => prepare(this.#env.DB, copyStatement(tenant, volume)).run());
      this.#commit(() => this.#volumes.setCopied(volume.volume));
    }
  }

  #record(paymentUniqueId: string, refunds: readonly CountedRefund[]): void {
    for (const refund of refunds) {
      if (!this.#refunds.record(paymentUniqueId, refund)) {
        // The payment should not have accepted it. It still counts, because money may move.
        log('error', 'refund_without_claim', { name: this.#ctx.id.name ?? null });
      }
    }
  }

  alarm(): Promise<void> {
    return this.#alarm.run();
  }

  async #work(): Promise<void> {
    if (this.#exists()) {
      await this.#settleDue();
      await this.#copyVolumes();
      this.#commit(() => this.#references.purge(Date.now()));
    }
  }

  async #settleDue(): Promise<void> {
    const tenant = tenantIn(this.#ctx.id.name);
    const claims = this.#refunds.due(Date.now(), SETTLED_MAX);
    await concurrently(claims, async (claim) => {
      const settlement = await this.#ports
        .settleClaim(this.#env, tenant, claim)
        .catch((error: unknown): Settlement => {
          log('warn', 'refund_claim_not_settled', { ...tenant, error: errorText(error) });
          return { type: 'undecided' };
        });
      this.#commit(() => {
        switch (settlement.type) {
          case 'reserved':
            return this.#record(claim.paymentUniqueId, settlement.refunds);
          case 'void':
            return this.#refunds.release(claim.refundUniqueId, claim.claimId, true);
          case 'undecided':
            return this.#refunds.postpone(claim, Date.now());
        }
      });
    });
  }

  #commit<T>(change: () => T): T {
    return this.#alarm.commit(() => {
      if (!this.#exists()) {
        this.#ctx.storage.sql.exec(REFUND_TABLES + REFERENCE_TABLE + VOLUME_TABLE);
      }
      return change();
    });
  }

  /** A lookup must not create storage, because any caller may ask for an unknown id. */
  #exists(): boolean {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'refund_claims'";
    return this.#ctx.storage.sql.exec(sql).toArray().length > 0;
  }

  /** When the alarm has work; null: never. */
  #wakeAtMs(): number | null {
    if (!this.#exists()) {
      return null;
    }
    const [uncopied] = this.#volumes.uncopied();
    return earliest(
      this.#refunds.nextCheckAtMs(),
      this.#references.purgeAtMs(),
      uncopied?.openedAtMs ?? null,
    );
  }

  /** Sets the alarm for the next work, unless it comes earlier. */
  #arm(): void {
    this.#alarm.set(this.#wakeAtMs(), true);
  }
}

/** The tenant whose register has this name, which `registerOf` makes. */
function tenantIn(name = ''): Tenant {
  const environment = ENVIRONMENTS.find((one) => name.startsWith(`${one}/`));
  if (environment === undefined) {
    throw new Error('a register without its name');
  }
  return { environment, merchantId: name.slice(environment.length + 1) };
}
