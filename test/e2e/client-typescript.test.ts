import { playScenarios } from '../support/clients/play.ts';
import { typescriptDriver } from '../support/clients/typescript.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('typescript', async () => typescriptDriver);
