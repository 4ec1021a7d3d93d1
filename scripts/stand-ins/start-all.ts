import { METHODS, type Method } from '../../src/engine/domain/method.ts';
import { startCbeBirrStandIn } from './cbe-birr.ts';
import { startEbirrStandIn } from './ebirr.ts';
import { startEthswitchCardsStandIn } from './ethswitch-cards.ts';
import { startNbgStandIn } from './ethswitch-nbg.ts';
import { startMpesaStandIn } from './mpesa.ts';
import { startPhones } from './phones.ts';
import type { StandIn } from './stand-in.ts';
import { startTelebirrH5StandIn, type TelebirrH5StandIn } from './telebirr-h5.ts';
import { startTelebirrUssdStandIn } from './telebirr-ussd.ts';

type StandInByMethod = Readonly<Record<Method, StandIn>> & {
  readonly TELE_BIRR: TelebirrH5StandIn;
};

/** Stand-ins for the six rails, and the gateway's variables to use them. */
export interface StandIns {
  readonly byMethod: StandInByMethod;
  /** Where a person answers the prompts of all phones and takes the providers' files of the day. */
  readonly phonesUrl: string;
  /** The production rails' secrets, for `npm run dev -- --var`. */
  readonly variables: readonly string[];
  stop(): Promise<void>;
}

export interface StandInsOptions {
  /** Of the phones, then of each method. A missing one, or 0: any free port. */
  readonly ports?: readonly number[];
  /** Settings beyond those of the stand-ins, such as how long to wait for a customer. */
  readonly moreSettings?: Readonly<Partial<Record<Method, Readonly<Record<string, unknown>>>>>;
  /** Which of EthSwitch's two gateways to start. */
  readonly ethswitch?: 'nbg' | 'cards';
  /**
   * Plays the other form of each protocol that has two: telebirr USSD's synchronous service, NBG's
   * states in lower case and a fee on top, and long transaction ids at CBE.
   */
  readonly hasOtherForms?: boolean;
  /** Turns on the status queries that are off by default. */
  readonly hasStatusQueries?: boolean;
  /** Turns on the refunds that are off by default. */
  readonly hasRefunds?: boolean;
  /** Turns on telebirr's forms in its app, which are off by default. */
  readonly hasAppForms?: boolean;
}

/** As the synchronous service of CPS. */
const SYNCHRONOUS = { namespace: 'synccpsinterface', waitsForResult: true } as const;

/** telebirr's settings. */
const APP_FORMS_ON = { inApp: true, miniApp: true };

/** The longest transaction id that we send. */
const CBE_LONG_ID_CHARACTERS = 79;

/** Starts a stand-in for each method, with its own credentials. */
export async function startStandIns(
  gatewayUrl: string,
  {
    ports = [],
    moreSettings = {},
    ethswitch = 'nbg',
    hasOtherForms = false,
    hasStatusQueries = false,
    hasRefunds = false,
    hasAppForms = false,
  }: StandInsOptions = {},
): Promise<StandIns> {
  const cbe = await startCbeBirrStandIn(
    ports[3],
    hasOtherForms ? CBE_LONG_ID_CHARACTERS : undefined,
  );
  // CBE reports to one URL, which is registered with the bank.
  cbe.registeredCallbackUrl = `${gatewayUrl}/rails/cbe-birr`;
  const byMethod: StandInByMethod = {
    TELE_BIRR: await startTelebirrH5StandIn(ports[1]),
    TELE_BIRR_USSD: await startTelebirrUssdStandIn(ports[2], hasOtherForms ? SYNCHRONOUS : {}),
    CBE: cbe,
    ETS_SWITCH: await (ethswitch === 'nbg'
      ? startNbgStandIn(ports[4], { isLowerCaseWithFee: hasOtherForms })
      : startCards(gatewayUrl, ports[4])),
    M_PESA: await startMpesaStandIn(ports[5]),
    E_BIRR: await startEbirrStandIn(ports[6]),
  };
  const phones = await startPhones(
    new Map(METHODS.map((method) => [method, byMethod[method]])),
    ports[0],
  );
  const variables = METHODS.map((method) => {
    const { settings: ownSettings, statusQuery, refundSettings } = byMethod[method];
    const settings = {
      ...ownSettings,
      ...(hasStatusQueries && { statusQuery }),
      ...(hasRefunds && refundSettings),
      ...(hasAppForms && method === 'TELE_BIRR' && APP_FORMS_ON),
      ...moreSettings[method],
    };
    return `RAIL_${method}_PRODUCTION:${JSON.stringify(settings)}`;
  });
  return {
    byMethod,
    phonesUrl: `${phones.baseUrl}/`,
    variables,
    stop: async () => {
      await Promise.all([phones, ...Object.values(byMethod)].map((server) => server.stop()));
    },
  };
}

async function startCards(gatewayUrl: string, port?: number): Promise<StandIn> {
  const cards = await startEthswitchCardsStandIn(port);
  const { callbackToken } = cards.settings;
  cards.registeredCallbackUrl = `${gatewayUrl}/rails/ethswitch-cards/account/${callbackToken}`;
  return cards;
}
