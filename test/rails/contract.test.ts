import { playContract } from '../support/rails/contract.ts';

playContract();
