import { playRefundContract } from '../support/rails/refund-contract.ts';

playRefundContract();
