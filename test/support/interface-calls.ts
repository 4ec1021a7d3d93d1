import type { Areas } from '../../src/control/rpc/areas.ts';
import type { Actor } from '../../src/kit/audit/log.ts';
import type { Tenant } from '../../src/kit/tenant.ts';

type ArgumentsOf<Function> = Function extends (plane: never, ...args: infer Arguments) => unknown
  ? Arguments
  : never;

/** Arguments that fit, for each function of the interface. */
export type InterfaceCalls = {
  readonly [Area in keyof Areas]: {
    readonly [Name in keyof Areas[Area]]: ArgumentsOf<Areas[Area][Name]>;
  };
};

const MEMBER: Actor = { kind: 'member', id: 'mem_1', name: 'M', address: null };
const OPERATOR: Actor = {
  kind: 'operator',
  id: 'Sara',
  name: 'Sara',
  isProved: true,
  address: '203.0.113.7',
};
const ORIGIN = 'https://back-office.example';

/** An action, and a form of a link, checks its own fields, and has none like these. */
export const FIELDS = { reason: 3 };

/** Calls about a payment of the tenant. Those that act name nothing that exists, or lack a field. */
export function interfaceCalls(tenant: Tenant, uniqueId: string): InterfaceCalls {
  const { merchantId } = tenant;
  const cursor = { direction: 'older', atMs: 1_800_000_000_000, id: 'b12' } as const;
  const range = { fromMs: 0, toMs: undefined };
  const days = { fromDay: 20_000, toDay: 30_000, method: 'CBE' } as const;
  const filter = {
    status: 'open',
    method: 'CBE',
    currency: 'ETB',
    createdFromMs: 0,
    createdToMs: undefined,
    amountMinorMin: 1,
    amountMinorMax: 1_000_000,
    refunds: 'any',
  } as const;
  const refund = {
    refundUniqueId: 'rfd_1',
    transactionId: 'T-1',
    amountMinor: 0,
    reason: 'Returned',
  };
  const endpoint = {
    url: 'http://127.0.0.1/',
    description: 'Shop',
    eventTypes: ['PAYMENT_SUCCESS'],
    signatureHeader: 'x-signature',
  };
  const member = [tenant, MEMBER] as const;
  const target = { ...tenant, uniqueId, run: '20270101T013200Z', id: 'a', method: 'CBE' };
  const action: [Actor, typeof target, object] = [OPERATOR, target, FIELDS];
  const keyForm = { formId: 'a', permissions: ['events' as const] };
  const page = {
    table: 'members',
    part: 1,
    rows: [],
    next: { table: 'members', part: 2, after: null },
  };
  return {
    alerts: { refuseSignIns: ['operators', 3], state: [], test: [OPERATOR, { channel: 'pigeon' }] },
    audit: {
      entries: [
        merchantId,
        { actions: ['api_key.created'], actor: { memberId: 'mem_1' } },
        { ...cursor, id: '12' },
      ],
      newAccess: [{ memberId: 'mem_1', merchantId, seesAll: true, dismissedAtMs: 0 }],
    },
    backups: {
      takeRun: [{ migrations: ['0001_a.sql'], tables: ['members'], auditToId: 0 }, false],
      storePage: [{ run: '20270101T013200Z', lease: 1 }, page],
    },
    events: {
      read: [tenant, { uniqueId, sequence: 1 }, true],
      resend: [...member, { uniqueId: 'none', sequence: 1 }, 0],
      failed: [tenant, range],
      resendFailed: [...member, { fromMs: 1, toMs: 2 }, cursor],
    },
    links: {
      list: [tenant, { isActive: true, ...range }, cursor, 25, ORIGIN],
      link: [tenant, 'none', ORIGIN],
      sign: [tenant, 'none', ORIGIN],
      payments: [tenant, 'none', cursor, 25],
      create: [...member, FIELDS, ORIGIN],
      edit: [...member, 'none', FIELDS, ORIGIN],
      setActive: [...member, 'none', false],
    },
    lists: {
      paymentsWithTotals: [tenant, filter, cursor, 25],
      search: [tenant, uniqueId],
      didPay: [tenant, uniqueId],
      exported: [...member, filter, 'masked', null],
      statement: [...member, days, null],
      refunds: [tenant, { status: 'pending', uniqueId, ...range }, cursor, 25],
      events: [
        tenant,
        { uniqueId, deliveryStatus: 'dead', endpointId: 'we_1', type: 'payment_failed', ...range },
        cursor,
        25,
      ],
      refusedRequests: [tenant],
      overview: [tenant, { days, trend: days, daysEach: 7 }],
    },
    notifications: {
      ways: [],
      connect: [
        ...member,
        {
          address: null,
          language: 'en',
          eventTypes: [],
          isToldNeeds: false,
          paymentLinkUniqueId: '',
          till: { id: 'none', name: 'Hana' },
        },
        ORIGIN,
      ],
      connection: [tenant, 'none'],
      confirm: [...member, 'none', '12345678'],
    },
    methods: {
      standings: [tenant],
      setEnabled: [...member, 'NONE', true],
    },
    operator: {
      resolveAttempt: action,
      attentionGroups: [{ limit: '5' }],
      attentionPage: [{ limit: '5' }],
      chosenItems: [{ ids: 'none' }],
      recordUnpaidItems: action,
      resendItems: action,
      reviewItems: action,
      countAttention: [],
      describedAttention: [{ limit: '5' }],
      backUpNow: action,
      backupPart: action,
      backupParts: action,
      listBackups: [],
      addBank: action,
      changeBank: action,
      listBanks: [],
      customerRequests: [{ limit: '5' }],
      eraseCustomer: action,
      exportCustomer: action,
      discardDeadLetters: action,
      deadLetters: [{ limit: '5' }],
      readDeadLetter: [target],
      retryDeadLetters: action,
      readHealth: [],
      refreshHealth: [],
      holdPayment: action,
      releasePayment: action,
      knownMerchant: [target],
      merchantKeys: [target],
      revokeMerchantKey: action,
      closeMerchant: action,
      exportAudit: action,
      exportPayments: action,
      exportStatements: action,
      beginProviderFile: action,
      decideProviderLine: action,
      deleteProviderProfile: action,
      finishProviderFile: action,
      previewProviderFile: action,
      providerBoard: [target, {}],
      providerFile: [target],
      providerFiles: [target, { limit: '5' }],
      providerLine: [target, '2026-11-28/payment/A'],
      providerLines: [target, { open: 'yes' }],
      providerProfiles: [target],
      storeProviderProfile: action,
      uploadProviderPiece: action,
      merchants: [{ limit: '5' }],
      changeAppSchemes: action,
      changeRefundLimits: action,
      createMerchant: action,
      merchantContent: [target],
      reactivateMerchant: action,
      renameMerchant: action,
      suspendMerchant: action,
      changeCommission: action,
      changeLimit: action,
      changeOffer: action,
      beginMaintenance: action,
      endMaintenance: action,
      pauseMemberChanges: action,
      readModes: [],
      readSwitchedOff: [],
      switchMethodOff: action,
      switchMethodOn: action,
      resumeMemberChanges: action,
      findPayments: [uniqueId, merchantId],
      paymentDetails: [target],
      probe: [OPERATOR, { environment: 'sandbox', method: 'NONE' }, ORIGIN],
      rebuildBook: action,
      rebuildObjects: action,
      restoreBook: action,
      repeatRefund: action,
      resolveRefund: action,
      requestRefund: action,
      confirmRestoredMembers: action,
      proveRestore: action,
      restoreStep: action,
      uploadBackupPart: action,
      restorePayment: action,
      reviewPayment: action,
      reviewSeenPayment: action,
      verifyBackup: [target, { after: 'named:0' }],
      readSelfCheck: [],
      startSelfCheck: [OPERATOR, ORIGIN],
      rails: [],
      railOutcomes: [],
    },
    payments: {
      read: [tenant, uniqueId, true],
      cancel: [...member, 'none'],
      rehearse: [tenant, uniqueId, refund],
      refund: [...member, 'none', { ...refund, refundUniqueId: `rfd_${'0'.repeat(32)}` }],
      cancelRefund: [...member, 'none', 'rfd_1'],
    },
    settings: {
      changeBranding: [...member, { color: 'none' }],
      bankCode: [merchantId],
      changeBankCode: [...member, '000201', null],
      changeBusiness: [
        ...member,
        { legalName: 'A', tin: 'x', vatNumber: 'V', address: 'Bole', contact: 'a@b.et' },
      ],
      createKey: [...member, '', keyForm],
      renameKey: [...member, 'none', 'Shop'],
      revokeKey: [...member, 'none'],
      rollKey: [...member, 'none', 'day', keyForm],
      merchant: [merchantId],
      keys: [tenant],
      key: [tenant, 'none'],
      business: [merchantId],
      branding: [merchantId],
    },
    till: {
      sell: [...member, { nonce: 'n', amount: '', note: '' }, ORIGIN],
      sale: [tenant, null, uniqueId],
      state: [tenant, 'mem_1', uniqueId],
      prompt: [...member, null, uniqueId, { method: 'CBE', phone: '', attempts: 0 }],
      cancel: [...member, null, uniqueId],
      sales: [tenant, null, { fromMs: 0, toMs: 1 }, cursor, 25],
    },
    webhooks: {
      settings: [tenant],
      endpoint: [tenant, 'we_none'],
      checkEndpoint: [endpoint, ORIGIN],
      createEndpoint: [...member, endpoint, ORIGIN],
      editEndpoint: [...member, 'we_none', endpoint, ORIGIN],
      switchEndpoint: [...member, 'we_none', false],
      deleteEndpoint: [...member, 'we_none'],
      resume: [...member, 'we_none'],
      setCallbackHeader: [...member, 'not a header'],
      secrets: [tenant, 'we_none'],
      addSecret: [...member, 'we_none', '24'],
      showSecret: [...member, 'we_none', 'none'],
      endSecret: [...member, 'we_none', 'none'],
      sendTest: [...member, { typed: '', endpoint: 'we_none' }, ORIGIN],
    },
  };
}
