import type { Environment, Method } from '../domain/method.ts';
import type { Rail } from './rail.ts';
import { simulator } from './simulator/simulator.ts';

/**
 * The rail that takes `method` in `environment`, or null when none is configured: the method is
 * then not enabled (decision 23). The sandbox never gets a production rail (decision 22).
 */
export function railFor(environment: Environment, _method: Method): Rail | null {
  switch (environment) {
    case 'sandbox':
      return simulator;
    case 'production':
      return null;
  }
}
