import { playScenarios } from '../support/clients/play.ts';
import { pythonDriver } from '../support/clients/python.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('python', pythonDriver);
