import type { Rail } from '../rail.ts';
import { cardsRail } from './cards.ts';
import { nbgRail } from './nbg.ts';
import type { EthswitchSettings } from './settings.ts';

/** EthSwitch, through the one of its two gateways where the operator has an account. */
export function ethswitchRail(
  settings: EthswitchSettings,
): Rail & Required<Pick<Rail, 'readCallback'>> {
  return settings.gateway === 'nbg' ? nbgRail(settings) : cardsRail(settings);
}
