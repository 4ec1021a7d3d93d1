import { METHODS, type Method } from '../../src/domain/method.ts';
import { startCbeBirrStandIn } from './cbe-birr.ts';
import { startEbirrStandIn } from './ebirr.ts';
import { startEthswitchCardsStandIn } from './ethswitch-cards.ts';
import { startNbgStandIn } from './ethswitch-nbg.ts';
import { startMpesaStandIn } from './mpesa.ts';
import type { StandIn } from './stand-in.ts';
import { startTelebirrH5StandIn } from './telebirr-h5.ts';
import { startTelebirrUssdStandIn } from './telebirr-ussd.ts';

/** Stand-ins for the six rails, and the gateway's options to use them. */
export interface StandIns {
  readonly byMethod: Readonly<Record<Method, StandIn>>;
  /** Options for `wrangler dev`: the production rails' secrets. */
  readonly wranglerArgs: readonly string[];
  stop(): Promise<void>;
}

export interface StandInsOptions {
  /** Settings beyond those of the stand-ins, such as how long to wait for a customer. */
  readonly moreSettings?: Readonly<Partial<Record<Method, Readonly<Record<string, unknown>>>>>;
  /** Which of EthSwitch's two gateways to start. */
  readonly ethswitch?: 'nbg' | 'cards';
}

/** Starts a stand-in for each method, with its own credentials. */
export async function startStandIns(
  gatewayUrl: string,
  { moreSettings = {}, ethswitch = 'nbg' }: StandInsOptions = {},
): Promise<StandIns> {
  const cbe = await startCbeBirrStandIn();
  // CBE reports to one URL, which is registered with the bank.
  cbe.registeredCallbackUrl = `${gatewayUrl}/rails/cbe-birr`;
  const byMethod: Record<Method, StandIn> = {
    TELE_BIRR: await startTelebirrH5StandIn(),
    TELE_BIRR_USSD: await startTelebirrUssdStandIn(),
    CBE: cbe,
    ETS_SWITCH: await (ethswitch === 'nbg' ? startNbgStandIn() : startCards(gatewayUrl)),
    M_PESA: await startMpesaStandIn(),
    E_BIRR: await startEbirrStandIn(),
  };
  const wranglerArgs = METHODS.flatMap((method) => {
    const settings = { ...byMethod[method].settings, ...moreSettings[method] };
    return ['--var', `RAIL_${method}_PRODUCTION:${JSON.stringify(settings)}`];
  });
  return {
    byMethod,
    wranglerArgs,
    stop: async () => {
      await Promise.all(Object.values(byMethod).map((standIn) => standIn.stop()));
    },
  };
}

async function startCards(gatewayUrl: string): Promise<StandIn> {
  const cards = await startEthswitchCardsStandIn();
  const { callbackToken } = cards.settings;
  cards.registeredCallbackUrl = `${gatewayUrl}/rails/ethswitch-cards/account/${callbackToken}`;
  return cards;
}
