import { cliDriver } from '../support/clients/cli.ts';
import { playScenarios } from '../support/clients/play.ts';

/** Goal: the command line does what the clients do. Method: their table of scenarios. */

playScenarios('commandLine', async () => cliDriver);
