import { showAttention } from './attention/api.ts';
import { reviewPayment } from './attention/review.ts';
import { addBank, changeBank, listBanks } from './banks.ts';
import type { OperatorRoute } from './call.ts';
import {
  discardDeadLetters,
  listDeadLetters,
  readDeadLetter,
  retryDeadLetters,
} from './dead-letters.ts';
import { showHealth } from './health/api.ts';
import { inviteMember, listMembers, recoverMember } from './members.ts';
import {
  changeAppSchemes,
  createNewMerchant,
  listMerchants,
  reactivateMerchant,
  readMerchant,
  renameMerchant,
  suspendMerchant,
} from './merchants.ts';
import { changeCommission, changeLimit, changeOffer } from './methods.ts';
import {
  decideRefund,
  readPayment,
  requestRefundOfPayment,
  resolveAttempt,
  sendRefundAgain,
} from './payments.ts';
import { listRails, postProbe } from './rails.ts';
import { republish } from './read-model.ts';
import { changeRefundLimits } from './refund-limits.ts';

const V1 = '/operator/v1';
const MERCHANT = `${V1}/merchants/:merchantId` as const;
const PAYMENT = `${V1}/payments/:environment/:merchantId/:uniqueId` as const;

/** All routes of the operator's API. */
export const API_ROUTES: readonly OperatorRoute[] = [
  { method: 'GET', path: `${V1}/health`, handle: showHealth },
  { method: 'GET', path: `${V1}/rails`, handle: listRails },
  { method: 'POST', path: `${V1}/rails/:environment/:method/probe`, handle: postProbe },
  { method: 'GET', path: `${V1}/attention`, handle: showAttention },

  { method: 'GET', path: `${V1}/merchants`, handle: listMerchants },
  { method: 'POST', path: `${V1}/merchants`, handle: createNewMerchant },
  { method: 'GET', path: MERCHANT, handle: readMerchant },
  { method: 'POST', path: `${MERCHANT}/rename`, handle: renameMerchant },
  { method: 'POST', path: `${MERCHANT}/app-schemes`, handle: changeAppSchemes },
  { method: 'POST', path: `${MERCHANT}/refund-limits`, handle: changeRefundLimits },
  { method: 'POST', path: `${MERCHANT}/suspend`, handle: suspendMerchant },
  { method: 'POST', path: `${MERCHANT}/reactivate`, handle: reactivateMerchant },
  { method: 'GET', path: `${MERCHANT}/members`, handle: listMembers },
  { method: 'POST', path: `${MERCHANT}/invitations`, handle: inviteMember },
  { method: 'POST', path: `${MERCHANT}/members/:memberId/recovery`, handle: recoverMember },
  { method: 'POST', path: `${MERCHANT}/:environment/methods/:method/offer`, handle: changeOffer },
  {
    method: 'POST',
    path: `${MERCHANT}/:environment/methods/:method/commission`,
    handle: changeCommission,
  },
  { method: 'POST', path: `${MERCHANT}/:environment/limits/:currency`, handle: changeLimit },

  { method: 'GET', path: `${V1}/banks`, handle: listBanks },
  { method: 'POST', path: `${V1}/banks`, handle: addBank },
  { method: 'POST', path: `${V1}/banks/:code`, handle: changeBank },

  { method: 'GET', path: PAYMENT, handle: readPayment },
  { method: 'POST', path: `${PAYMENT}/review`, handle: reviewPayment },
  { method: 'POST', path: `${PAYMENT}/attempts/:attemptId/resolve`, handle: resolveAttempt },
  { method: 'POST', path: `${PAYMENT}/refunds`, handle: requestRefundOfPayment },
  { method: 'POST', path: `${PAYMENT}/refunds/:refundId/resolve`, handle: decideRefund },
  { method: 'POST', path: `${PAYMENT}/refunds/:refundId/repeat`, handle: sendRefundAgain },

  { method: 'GET', path: `${V1}/dead-letters`, handle: listDeadLetters },
  { method: 'POST', path: `${V1}/dead-letters/retry`, handle: retryDeadLetters },
  { method: 'POST', path: `${V1}/dead-letters/discard`, handle: discardDeadLetters },
  { method: 'GET', path: `${V1}/dead-letters/:id`, handle: readDeadLetter },

  { method: 'POST', path: `${V1}/read-model/republish`, handle: republish },
];
