import { startCbeBirrStandIn } from '../../../scripts/stand-ins/cbe-birr.ts';
import { startEbirrStandIn } from '../../../scripts/stand-ins/ebirr.ts';
import { startEthswitchCardsStandIn } from '../../../scripts/stand-ins/ethswitch-cards.ts';
import { type NbgStandIn, startNbgStandIn } from '../../../scripts/stand-ins/ethswitch-nbg.ts';
import { type MpesaStandIn, startMpesaStandIn } from '../../../scripts/stand-ins/mpesa.ts';
import {
  type AppOpening,
  startTelebirrH5StandIn,
  type TelebirrH5StandIn,
} from '../../../scripts/stand-ins/telebirr-h5.ts';
import { startTelebirrUssdStandIn } from '../../../scripts/stand-ins/telebirr-ussd.ts';
import type { AppParameters } from '../../../src/engine/domain/app-form.ts';
import type { Player } from './scene.ts';

export const ETHIO = '251911234567';
export const SAFARICOM = '251711234567';

/** What a merchant's app, or its mini app, hands to telebirr's. */
export function openingOf({
  appId,
  shortCode,
  receiveCode,
  rawRequest,
}: AppParameters): AppOpening {
  return rawRequest === null
    ? { appId: appId ?? '', shortCode: shortCode ?? '', receiveCode: receiveCode ?? '' }
    : { rawRequest };
}

/** Every rail in every form, as the contract plays it. */
export const PLAYERS = {
  telebirrH5: {
    method: 'TELE_BIRR',
    start: startTelebirrH5StandIn,
    phone: ETHIO,
    dropTokens: (standIn: TelebirrH5StandIn) => standIn.dropTokens(),
  },
  telebirrInApp: {
    method: 'TELE_BIRR',
    start: startTelebirrH5StandIn,
    phone: ETHIO,
    settings: { inApp: true },
    terms: { appForm: 'IN_APP' },
    appUrl: (standIn: TelebirrH5StandIn, app: AppParameters) => standIn.appUrl(openingOf(app)),
    dropTokens: (standIn: TelebirrH5StandIn) => standIn.dropTokens(),
  },
  telebirrMiniApp: {
    method: 'TELE_BIRR',
    start: startTelebirrH5StandIn,
    phone: ETHIO,
    settings: { miniApp: true },
    terms: { appForm: 'MINI_APP' },
    appUrl: (standIn: TelebirrH5StandIn, app: AppParameters) => standIn.appUrl(openingOf(app)),
    dropTokens: (standIn: TelebirrH5StandIn) => standIn.dropTokens(),
  },
  telebirrUssd: { method: 'TELE_BIRR_USSD', start: startTelebirrUssdStandIn, phone: ETHIO },
  telebirrUssdSynchronous: {
    method: 'TELE_BIRR_USSD',
    start: () =>
      startTelebirrUssdStandIn(0, { namespace: 'synccpsinterface', waitsForResult: true }),
    phone: ETHIO,
  },
  cbeBirr: {
    method: 'CBE',
    start: startCbeBirrStandIn,
    phone: ETHIO,
    isMadeByPage: true,
    hasRegisteredAddress: true,
  },
  nbg: {
    method: 'ETS_SWITCH',
    start: startNbgStandIn,
    phone: ETHIO,
    dropTokens: (standIn: NbgStandIn) => standIn.expireTokens(),
  },
  cards: { method: 'ETS_SWITCH', start: startEthswitchCardsStandIn, phone: ETHIO },
  mpesa: {
    method: 'M_PESA',
    start: startMpesaStandIn,
    phone: SAFARICOM,
    // So that a loss of cents is noticed.
    settings: { wholeAmountsOnly: false },
    dropTokens: (standIn: MpesaStandIn) => standIn.revokeTokens(),
  },
  ebirr: { method: 'E_BIRR', start: startEbirrStandIn, phone: ETHIO },
} as const satisfies Readonly<Record<string, Player>>;
