import { phpDriver } from '../support/clients/php.ts';
import { playScenarios } from '../support/clients/play.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('php', phpDriver);
