import type { Callbacks, Probe, Rail } from '../rail.ts';
import { cardsRail } from './cards.ts';
import { nbgRail } from './nbg.ts';
import type { EthswitchSettings } from './settings.ts';

/** EthSwitch, through whichever of its two gateways the operator has an account with. */
export function ethswitchRail(settings: EthswitchSettings): Rail & Callbacks & Probe {
  switch (settings.gateway) {
    case 'nbg':
      return nbgRail(settings);
    case 'cards':
      return cardsRail(settings);
  }
}
